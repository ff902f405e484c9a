#include "tmux/instance_end.hpp"

#include <signal.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <charconv>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "tmux/client.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTmuxPatience{400};
constexpr Milliseconds kProcessPatience{800};
constexpr const char* kUnnamedMark = "unnamed";

asio::awaitable<std::string> ask(const Config& config, const Instance& instance, Argv command) {
  const TmuxClient client(config.tmux, instance.socket(), instance.tmux_config(), kTmuxPatience);
  std::string answer;
  try {
    answer = co_await client.query(std::move(command));
  } catch (const Error&) {
    // frozen, or gone already
  }
  co_return answer;
}

/// Kills what is left in the instance's tabs after tmux hung up on it, and waits until its helpers are gone
/// too.
asio::awaitable<void> end_tab_processes(const Instance& instance) {
  const std::string in_a_tab = "TERMINALLY_TAB=" + instance.name() + ":";
  const std::string helper = "TERMINALLY_NAME=" + instance.name();
  const auto deadline = Clock::now() + kProcessPatience;
  for (bool first = true; Clock::now() < deadline; first = false) {
    bool left = false;
    for (const ProcessInfo& process : all_processes()) {
      if (process.pid == ::getpid() || process.state == 'Z') {
        continue;
      }
      const std::string environment =
          read_file("/proc/" + std::to_string(process.pid) + "/environ").value_or("");
      const bool tab = environment.find(in_a_tab) != std::string::npos;
      const bool ours = tab || environment.find(helper) != std::string::npos;
      // A tab's process had its SIGHUP; a tmux server that was just starting did not hear kill-server.
      if (!first && (tab || (ours && process.name.starts_with("tmux")))) {
        ::kill(process.pid, SIGKILL);
      }
      left = left || ours;
    }
    if (!left) {
      co_return;
    }
    co_await sleep_for(Milliseconds(first ? 60 : 20));
  }
}

}  // namespace

asio::awaitable<void> end_instance(const Config& config, const Instance& instance, int server_pid) {
  Argv command;
  command.emplace_back("kill-server");
  co_await ask(config, instance, std::move(command));
  if (server_pid > 0 && process_info(server_pid)) {
    ::kill(server_pid, SIGKILL);
  }
  co_await end_tab_processes(instance);
  std::error_code error;
  std::filesystem::remove_all(instance.runtime(), error);
}

asio::awaitable<void> end_abandoned_instances(Config config) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(config.runtime_root, error)) {
    if (std::filesystem::exists(entry.path() / kUnnamedMark, error)) {
      names.push_back(entry.path().filename().string());
    }
  }
  for (const std::string& name : names) {
    const Instance instance(config, name);
    FileLock lock;
    try {
      lock = instance.own();
    } catch (const Error&) {
      continue;  // its server lives
    }
    Argv command;
    for (const char* word : {"display-message", "-p", "#{pid}"}) {
      command.emplace_back(word);
    }
    const std::string answer = co_await ask(config, instance, std::move(command));
    int server_pid = 0;
    std::from_chars(answer.data(), answer.data() + answer.size(), server_pid);
    co_await end_instance(config, instance, server_pid);
  }
}

void mark_unnamed(const Instance& instance) {
  write_file(instance.runtime() / kUnnamedMark, "");
  write_file(instance.state() / kUnnamedMark, "");
}

}  // namespace terminally
