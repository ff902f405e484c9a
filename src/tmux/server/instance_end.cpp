#include "tmux/server/instance_end.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "instance/left_behind.hpp"
#include "instance/own_mains.hpp"
#include "instance/peers.hpp"
#include "instance/runtime_files.hpp"
#include "system/foreground.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tab/escalation.hpp"
#include "tab/tab_processes.hpp"
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
/// The same where nobody is attached.
std::string end_without_clients() {
  return "if-shell -F '#{S:#{?session_attached,x,}}' 'display-message -p attached' kill-server";
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
void remove_our_files(const std::filesystem::path& directory, std::span<const std::string_view> kept,
                      bool (*is_ours)(std::string_view) = is_runtime_file) {
  std::error_code error;
  if (std::filesystem::is_symlink(directory, error)) {
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (is_ours(name) && std::ranges::find(kept, name) == kept.end()) {
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
  remove_our_files(instance.runtime() / kOwners, {}, is_owner_file);
  std::filesystem::remove(instance.runtime() / kOwners, error);
  if (const std::filesystem::path files = instance.files(); files != instance.runtime()) {
    remove_our_files(files, {});
    std::filesystem::remove(files, error);
  }
  Peers(instance).remove_directory();
  OwnMains(instance).remove_directory();
  instance.remove_unused_state();
  remove_file(instance.runtime() / "lock");
  std::filesystem::remove(instance.runtime(), error);
}

/// What an instance has left: what runs in its tabs, and what of ours runs for them (terminally-shell, the
/// writers of the logs, tmux).
struct LeftOver {
  SeenProcesses of_tabs;
  std::vector<ProcessInfo> helpers;
};

/// What a process of a tab started without a mark of anybody (sudo clears them), as long as `known` has it or
/// what started it lives.
void take_unmarked(const std::vector<ProcessInfo>& unmarked, const KnownProcesses& known,
                   SeenProcesses& of_tabs) {
  for (bool found = true; std::exchange(found, false);) {
    for (const ProcessInfo& process : unmarked) {
      const auto parent = of_tabs.find(process.parent);
      const bool is_child = parent != of_tabs.end() && process.start_ticks >= parent->second.info.start_ticks;
      if ((known.parent_of(process) || is_child) && !of_tabs.contains(process.pid)) {
        of_tabs[process.pid] = {process, std::nullopt, outlives_hangup(process.pid)};
        found = true;
      }
    }
  }
}

/// `known`: what was left before.
LeftOver left_over(const Instance& instance, KnownProcesses& known) {
  const std::string in_a_tab = "TERMINALLY_TAB=" + instance.cookie() + ":";
  const std::string helper = "TERMINALLY_NAME=" + instance.cookie() + '\0';
  const ProcessTag any_tab = tab_tag(instance.cookie(), 0, 0);
  const int uid = static_cast<int>(::geteuid());
  LeftOver left;
  std::vector<ProcessInfo> unmarked;
  for (ProcessInfo& process : all_processes()) {
    if (process.pid == ::getpid() || process.state == 'Z') {
      continue;
    }
    const std::string environment =
        read_file("/proc/" + std::to_string(process.pid) + "/environ").value_or("");
    const auto tag = process_tag(process.pid);
    const bool helps = environment.find(helper) != std::string::npos;
    const bool tagged = tag && tag->instance() == any_tab.instance() && process_uid(process.pid) == uid;
    if (environment.find(in_a_tab) != std::string::npos || (tagged && !helps)) {
      const int pid = process.pid;
      left.of_tabs[pid] = {std::move(process), tag, outlives_hangup(pid)};
    } else if (helps) {
      left.helpers.push_back(std::move(process));
    } else if (!tag && environment.find("TERMINALLY_") == std::string::npos) {
      unmarked.push_back(std::move(process));
    }
  }
  take_unmarked(unmarked, known, left.of_tabs);
  for (auto& [pid, process] : left.of_tabs) {
    process.info.parent = known.parent_of(process.info).value_or(process.info.parent);
  }
  known.add(left.of_tabs);
  return left;
}

void tell(const Survivor& survivor) {
  std::fprintf(stderr, "terminally-mcp: left running from a tab: pid %d (%s): %s\n", survivor.pid,
               survivor.command.c_str(), survivor.why.c_str());
}

bool holds_a_terminal(int pid) {
  return std::ranges::any_of(std::array{0, 1, 2},
                             [pid](int fd) { return process_descriptor(pid, fd).starts_with("/dev/pts/"); });
}

/// To be asked before tmux hangs up. Where that is over (its server ended, and then ours), the session of a
/// tab is one whose leader is gone and whose processes still have the terminal: a daemon's have not.
Detachment detached_now(const Instance& instance, KnownProcesses& known) {
  LeftOver now = left_over(instance, known);
  std::erase_if(now.helpers, [](const ProcessInfo& helper) { return helper.name != kShellHelper; });
  const bool is_over = now.helpers.empty();
  for (const auto& [pid, process] : now.of_tabs) {
    if (is_over && !is_alive(process.info.session) && holds_a_terminal(pid)) {
      ProcessInfo gone;
      gone.pid = gone.session = process.info.session;
      now.helpers.push_back(std::move(gone));
    }
  }
  Detachment detachment(std::move(now.helpers), now.of_tabs);
  known.sessions_in_front = detachment.sessions_in_front();
  return detachment;
}

/// The pid of each pane that tmux has, by its number; none where somebody is attached, or it does not answer.
asio::awaitable<std::map<std::string, int>> panes_that_nobody_sees(const Config& config,
                                                                   const Instance& instance) {
  const std::string panes_of_tabs =
      std::string("list-panes -a -f '#{?") + kIsChannelSession + ",0,1}' -F '#{pane_pid} #{pane_id}'";
  const std::string said =
      co_await ask(config, instance, panes_of_tabs + " ; list-clients -F attached ; display-message -p end");
  std::istringstream answer(said);
  std::map<std::string, int> panes;
  std::string line;
  while (std::getline(answer, line) && line != "end") {
    std::istringstream fields(line);
    int pid = 0;
    char sigil = 0;
    std::string number;
    if (!(fields >> pid >> sigil >> number)) {
      break;
    }
    panes[number] = pid;
  }
  if (line != "end") {
    panes.clear();
  }
  co_return panes;
}

/// The processes that a pane at rest has, whose shell waits at its prompt; none where it does not rest, or
/// runs where we do not see it.
std::vector<int> processes_at_rest(int pane_pid) {
  const auto helper = process_info(pane_pid);
  if (!helper || helper->name != kShellHelper) {
    return {};
  }
  const Foreground now = look_at_foreground(helper->id());
  const bool waits = now.kind == Foreground::Kind::shell &&
                     prompt_state(now, process_descriptor(now.shell_pid, STDIN_FILENO)) == Prompt::ready;
  return waits ? std::vector<int>{pane_pid, now.shell_pid} : std::vector<int>();
}

/// Whether nothing but these runs in the tabs, or in the sessions of their terminals.
bool nothing_beside(const Instance& instance, const std::set<int>& at_rest) {
  KnownProcesses known;
  const LeftOver left = left_over(instance, known);
  std::set<int> sessions;
  for (const int pid : at_rest) {
    sessions.insert(process_info(pid).value_or(ProcessInfo()).session);
  }
  const auto is_another = [&](const ProcessInfo& process) {
    return sessions.contains(process.session) && !at_rest.contains(process.pid) && process.state != 'Z';
  };
  return std::ranges::all_of(left.of_tabs, [&](const auto& of) { return at_rest.contains(of.first); }) &&
         std::ranges::none_of(all_processes(), is_another);
}

/// Named, and not in use for a day: it goes where its tabs' shells wait at their prompts, nothing else runs
/// there and nobody is attached. The locks keep a person's command out meanwhile.
asio::awaitable<void> put_away_unused(const Config& config, const std::string& name) {
  const Instance instance(config, name);
  if (!is_alone_for_a_day(instance)) {
    co_return;
  }
  if (!instance.server_lives()) {
    co_await clean_instance(config, name);
    co_return;
  }
  std::vector<FileLock> locks;
  try {
    locks.push_back(instance.own_to_clean());
  } catch (const Error&) {
    co_return;  // a server has just come
  }
  const std::vector<int> servers = Peers(instance).others();
  const std::map<std::string, int> panes = co_await panes_that_nobody_sees(config, instance);
  bool rests = servers.empty() && !panes.empty();
  std::set<int> at_rest;
  for (const auto& [number, pid] : panes) {
    locks.push_back(FileLock::try_lock(instance.runtime() / (number + ".lock")));
    const std::vector<int> processes = processes_at_rest(pid);
    at_rest.insert(processes.begin(), processes.end());
    rests = rests && locks.back() && !processes.empty();
  }
  if (rests && nothing_beside(instance, at_rest)) {
    const std::string attached = co_await ask(config, instance, end_without_clients());
    if (attached.empty()) {
      co_await end_instance(config, instance, instance.server_pid());
    }
  }
}

}  // namespace

asio::awaitable<void> end_tab_processes(const Instance& instance, Detachment detachment,
                                        KnownProcesses known) {
  Escalation escalation(kEndInstance, false, Clock::now());
  LeftOver left;
  std::vector<Survivor> not_ended;
  bool told = false;
  for (bool goes_on = true; goes_on && escalation.elapsed() < kProcessPatience;) {
    escalation.look(Clock::now());
    const bool asks = escalation.pressure() == Pressure::ask;
    left = left_over(instance, known);
    not_ended.clear();
    for (const auto& [pid, process] : left.of_tabs) {
      const std::string why = detachment.why(process, known.processes);
      if (why.empty()) {
        not_ended.push_back(survivor(process.info, kNotEnded));
        if (!asks) {  // it had its SIGHUP
          signal_process(process.info.id(), SIGKILL);
        }
      } else if (!told) {  // at once: the time of this process may be over before the others have ended
        tell(survivor(process.info, why));
      }
    }
    told = true;
    for (const ProcessInfo& helper : left.helpers) {
      if (asks && helper.name == kShellHelper) {
        signal_process(helper.id(),
                       SIGHUP);  // so that it starts no other shell in place of one that was killed
      } else if (!asks && helper.name.starts_with("tmux")) {
        signal_process(helper.id(), SIGKILL);  // it was just starting, and did not hear kill-server
      }
    }
    goes_on = !left.helpers.empty() || !not_ended.empty();
    if (goes_on) {
      co_await sleep_for(kBetweenLooks);
    }
  }
  for (const ProcessInfo& helper : left.helpers) {
    signal_process(helper.id(),
                   SIGKILL);  // a log that has taken nothing all this time (a full disk) takes no more
  }
  std::ranges::for_each(not_ended, tell);
}

void remove_command_files(const Instance& instance) {
  for (const auto& directory : {instance.files(), instance.runtime()}) {
    remove_our_files(directory, kInstanceFiles);
  }
}

asio::awaitable<void> end_instance(const Config& config, const Instance& instance, int server_pid) {
  KnownProcesses known;
  Detachment detachment = detached_now(instance, known);
  const auto running = instance.server_process(server_pid);
  if (!running || !is_stopped(running->pid)) {  // else there is nobody to wait for: the time is needed below
    co_await ask(config, instance, "kill-server");
  }
  if (const auto server = instance.server_process(server_pid)) {
    signal_process(*server, SIGKILL);
  }
  co_await end_tab_processes(instance, std::move(detachment), std::move(known));
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
  if (!Peers(instance).others().empty()) {
    co_return Cleaned::owned;  // one of them is about to keep it
  }
  if (instance.is_unnamed() || left_behind(config, instance) == LeftBehind::for_good) {
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
  KnownProcesses known;
  Detachment detachment = detached_now(instance, known);
  co_await end_tab_processes(instance, std::move(detachment), std::move(known));
  remove_runtime_directory(instance);
  co_return Cleaned::removed;
}

asio::awaitable<void> end_abandoned_instances(Config config, std::string own) {
  constexpr Milliseconds kLookAgain{60'000};
  bool first = true;
  for (bool again = true; again; first = false) {
    again = false;
    std::vector<std::string> names = known_instances(config);
    std::erase(names, own);
    for (const std::string& name : names) {
      const Instance instance(config, name);
      const LeftBehind left = left_behind(config, instance);
      if (instance.is_unnamed() || left == LeftBehind::for_good) {
        co_await clean_instance(config, name);
      } else if (first && left == LeftBehind::no) {
        co_await put_away_unused(config, name);
      }
      again = again || left == LeftBehind::not_yet;
    }
    if (again) {
      co_await sleep_for(kLookAgain);
    }
  }
}

}  // namespace terminally
