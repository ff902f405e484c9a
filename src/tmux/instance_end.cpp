#include "tmux/instance_end.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "tmux/client.hpp"
#include "tmux/proc.hpp"
#include "tmux/signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTmuxPatience{400};
constexpr Milliseconds kProcessPatience{800};
/// One that hangs up, one that kills, one for what was forked meanwhile, and a look: also where the machine
/// stood still until all patience was over.
constexpr int kAtLeastPasses = 4;
/// Asked and done in one, so that no tab that comes just now ends with it.
constexpr const char* kEndWithoutTabs = "if-shell -F '#{S:x}' 'display-message -p tabs' kill-server";
/// The kernel keeps 15 bytes of "terminally-shell".
constexpr std::string_view kShellHelper = "terminally-shel";

asio::awaitable<std::string> ask(const Config& config, const Instance& instance, std::string commands) {
  const TmuxClient client(config.tmux, instance.socket(), instance.tmux_config(), kTmuxPatience);
  std::string answer;
  try {
    answer = co_await client.query(std::move(commands));
  } catch (const Error&) {
    // frozen, or gone already
  }
  co_return answer;
}

/// The lock goes last, and the directory only when nothing is in it: whoever comes now makes a lock of its
/// own.
void remove_runtime_directory(const Instance& instance) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(instance.runtime(), error)) {
    if (entry.path().filename() != "lock") {
      std::filesystem::remove_all(entry.path(), error);
    }
  }
  remove_file(instance.runtime() / "lock");
  std::filesystem::remove(instance.runtime(), error);
}

}  // namespace

asio::awaitable<std::vector<Survivor>> end_tab_processes(const Instance& instance) {
  const std::string in_a_tab = "TERMINALLY_TAB=" + instance.cookie() + ":";
  const std::string helper = "TERMINALLY_NAME=" + instance.cookie() + '\0';
  const ProcessTag any_tab = tab_tag(instance.cookie(), 0, 0);
  const int uid = static_cast<int>(::geteuid());
  const auto deadline = Clock::now() + kProcessPatience;
  std::vector<Survivor> survivors;
  std::vector<ProcessId> helpers;
  for (int pass = 0; pass < kAtLeastPasses || Clock::now() < deadline; ++pass) {
    const bool first = pass == 0;
    bool left = false;
    survivors.clear();
    helpers.clear();
    for (const ProcessInfo& process : all_processes()) {
      if (process.pid == ::getpid() || process.state == 'Z') {
        continue;
      }
      const std::string environment =
          read_file("/proc/" + std::to_string(process.pid) + "/environ").value_or("");
      const auto tag = process_tag(process.pid);
      const bool helps = environment.find(helper) != std::string::npos;
      const bool tagged = tag && tag->instance() == any_tab.instance() && process_uid(process.pid) == uid;
      const bool tab = environment.find(in_a_tab) != std::string::npos || (tagged && !helps);
      const bool ours = tab || helps;
      if (first && ours && !tab && process.name == kShellHelper) {
        signal_process(process.id(),
                       SIGHUP);  // so that it starts no other shell in place of one that was killed
      }
      // A tab's process had its SIGHUP; a tmux server that was just starting did not hear kill-server.
      if (!first && (tab || (ours && process.name.starts_with("tmux")))) {
        signal_process(process.id(), SIGKILL);
      }
      if (tab) {
        survivors.push_back(Survivor{process.pid, describe_process(process.pid)});
      } else if (ours) {
        helpers.push_back(process.id());
      }
      left = left || ours;
    }
    if (!left) {
      break;
    }
    co_await sleep_for(Milliseconds(first ? 60 : 20));
  }
  for (const ProcessId helper_process : helpers) {
    signal_process(helper_process,
                   SIGKILL);  // a log that has taken nothing all this time (a full disk) takes no more
  }
  co_return survivors;
}

void remove_command_files(const Instance& instance) {
  static constexpr std::array kKept = {"lock", "unnamed", "reserve", "tmux.conf", "tmux.sock"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(instance.runtime(), error)) {
    if (std::find(kKept.begin(), kKept.end(), entry.path().filename().string()) == kKept.end()) {
      remove_file(entry.path());
    }
  }
}

asio::awaitable<void> end_instance(const Config& config, const Instance& instance, int server_pid) {
  const auto running = instance.server_process(server_pid);
  if (!running || !is_stopped(running->pid)) {  // else there is nobody to wait for: the time is needed below
    co_await ask(config, instance, "kill-server");
  }
  if (const auto server = instance.server_process(server_pid)) {
    signal_process(*server, SIGKILL);
  }
  co_await end_tab_processes(instance);
  remove_runtime_directory(instance);
}

asio::awaitable<Cleaned> clean_instance(const Config& config, const std::string& name) {
  const Instance instance(config, name);
  std::error_code error;
  if (!std::filesystem::exists(instance.runtime(), error)) {
    co_return Cleaned::nothing_there;
  }
  FileLock lock;
  try {
    lock = instance.own_to_clean();
  } catch (const Error&) {
    co_return Cleaned::owned;
  }
  if (instance.is_unnamed()) {
    co_await end_instance(config, instance, instance.server_pid());
    co_return Cleaned::ended;
  }
  const std::string tabs = co_await ask(config, instance, kEndWithoutTabs);
  const auto ends_by = Clock::now() + kTmuxPatience;
  while (tabs.empty() && instance.server_lives() && Clock::now() < ends_by) {
    co_await sleep_for(Milliseconds(10));
  }
  if (instance.server_lives()) {
    co_return Cleaned::runs;
  }
  co_await end_tab_processes(instance);
  remove_runtime_directory(instance);
  co_return Cleaned::removed;
}

asio::awaitable<void> end_abandoned_instances(Config config) {
  const std::vector<std::string> names = known_instances(config);
  for (const std::string& name : names) {
    if (Instance(config, name).is_unnamed()) {
      co_await clean_instance(config, name);
    }
  }
}

}  // namespace terminally
