#include "tmux/wire/instance_end.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "command/escalation.hpp"
#include "instance/runtime_files.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tmux/wire/channel_session.hpp"
#include "tmux/wire/client.hpp"
#include "tmux/wire/spawned_client.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTmuxPatience{400};
/// Not counted: the time that the machine stood still.
constexpr Milliseconds kProcessPatience{800};
constexpr Milliseconds kBetweenLooks{20};
/// Ends a tmux server that has no tabs. Asked and done in one command, so that a tab that is just opened does
/// not end with it.
std::string end_without_tabs() {
  return std::string("if-shell -F '#{S:#{?") + kIsChannelSession +
         ",,x}}' 'display-message -p tabs' kill-server";
}
/// The kernel keeps 15 bytes of "terminally-shell".
constexpr std::string_view kShellHelper = "terminally-shel";

asio::awaitable<std::string> ask(const Config& config, const Instance& instance, std::string commands) {
  const TmuxClient client(
      std::make_shared<SpawnedClient>(config.tmux, instance.socket(), instance.tmux_config()), kTmuxPatience);
  std::string answer;
  try {
    answer = co_await client.query(std::move(commands));
  } catch (const Error&) {
    // frozen, or gone already
  }
  co_return answer;
}

/// Removes our own files from a directory, but for those in `kept`.
void remove_our_files(const std::filesystem::path& directory, std::span<const std::string_view> kept) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (is_runtime_file(name) && std::ranges::find(kept, name) == kept.end()) {
      remove_file(entry.path());
    }
  }
}

/// The lock goes last, and the directory only when nothing is in it: whoever comes now makes a lock of its
/// own.
void remove_runtime_directory(const Instance& instance) {
  static constexpr std::array<std::string_view, 1> kLast = {"lock"};
  remove_our_files(instance.runtime(), kLast);
  std::error_code error;
  if (const std::filesystem::path files = instance.files(); files != instance.runtime()) {
    remove_our_files(files, {});
    std::filesystem::remove(files, error);
  }
  instance.remove_unused_state();
  remove_file(instance.runtime() / "lock");
  std::filesystem::remove(instance.runtime(), error);
}

}  // namespace

asio::awaitable<std::vector<Survivor>> end_tab_processes(const Instance& instance) {
  const std::string in_a_tab = "TERMINALLY_TAB=" + instance.cookie() + ":";
  const std::string helper = "TERMINALLY_NAME=" + instance.cookie() + '\0';
  const ProcessTag any_tab = tab_tag(instance.cookie(), 0, 0);
  const int uid = static_cast<int>(::geteuid());
  Escalation escalation(kEndInstance, false, Clock::now());
  std::vector<Survivor> survivors;
  std::vector<ProcessId> helpers;
  for (bool left = true; left && escalation.elapsed() < kProcessPatience;) {
    escalation.look(Clock::now());
    const bool asks = escalation.pressure() == Pressure::ask;
    left = false;
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
      if (asks && ours && !tab && process.name == kShellHelper) {
        signal_process(process.id(),
                       SIGHUP);  // so that it starts no other shell in place of one that was killed
      }
      // A tab's process had its SIGHUP; a tmux server that was just starting did not hear kill-server.
      if (!asks && (tab || (ours && process.name.starts_with("tmux")))) {
        signal_process(process.id(), SIGKILL);
      }
      if (tab) {
        survivors.push_back(Survivor{process.pid, describe_process(process.pid)});
      } else if (ours) {
        helpers.push_back(process.id());
      }
      left = left || ours;
    }
    if (left) {
      co_await sleep_for(kBetweenLooks);
    }
  }
  for (const ProcessId helper_process : helpers) {
    signal_process(helper_process,
                   SIGKILL);  // a log that has taken nothing all this time (a full disk) takes no more
  }
  co_return survivors;
}

void remove_command_files(const Instance& instance) {
  for (const auto& directory : {instance.files(), instance.runtime()}) {
    remove_our_files(directory, kInstanceFiles);
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
  if (!is_instance_directory(instance.runtime())) {
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
  const std::string tabs = co_await ask(config, instance, end_without_tabs());
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
