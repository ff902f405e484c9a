// Decides which processes belong to a tab, and which of them a command has started.
#include "tab/tab_processes.hpp"

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <utility>

#include "system/terminal.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

bool ignores_interrupt(int pid) {
  return (signal_masks(pid).ignored >> static_cast<unsigned>(SIGINT - 1) & 1U) != 0;
}

bool was_there(const ProcessInfo& process, const CommandMarks& command) {
  // A tick is 10 ms. A process of the command's own tick is older only if it is on the list.
  return process.start_ticks < command.started_ticks ||
         (process.start_ticks == command.started_ticks &&
          std::ranges::find(command.older_jobs, process.pid) != command.older_jobs.end());
}

/// Whose a process without a tag of the tab is (it got none, or set another limit), by its ancestors.
Whose whose_by_ancestors(const SeenProcess& process, const SeenProcesses& all, const CommandMarks& command) {
  const SeenProcess* below = &process;
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    const int parent = below->info.parent;
    if (parent == command.shell_pid) {
      return Whose::command;
    }
    const auto found = all.find(parent);
    if (found == all.end()) {
      break;  // the parent has ended
    }
    below = &found->second;
    if (below->tag && command.tags.contains(*below->tag)) {
      return Whose::command;
    }
    if (was_there(below->info, command)) {
      return Whose::older;
    }
  }
  return Whose::unknown;
}

}  // namespace

Whose whose(const SeenProcess& process, const SeenProcesses& all, const CommandMarks& command) {
  const int pid = process.info.pid;
  if (pid == command.pane.pid || pid == command.shell_pid || process.info.parent == command.pane.pid ||
      was_there(process.info, command)) {
    return Whose::older;
  }
  if (process.tag && command.tags.contains(*process.tag)) {
    return Whose::command;
  }
  const bool of_another_command =
      process.tag && std::ranges::any_of(command.tags, [&process](ProcessTag own) {
        return own.tab() == process.tag->tab();
      });
  return of_another_command ? Whose::older : whose_by_ancestors(process, all, command);
}

ProcessInfo leader_of(const Tab& tab) {
  ProcessInfo pane = process_info(tab.pane_pid).value_or(ProcessInfo());
  pane.pid = pane.session = tab.pane_pid.pid;
  pane.terminal = terminal_device(tab.tty);
  return pane;
}

TabProcesses::TabProcesses(ProcessTable& table, const Tab& tab, int shell_pid)
    : table_(table),
      pane_(tab.pane_pid),
      leaders_{leader_of(tab)},
      cookie_(tab.cookie),
      tag_(tab.tag),
      known_(tab.known) {
  if (auto shell = process_info(shell_pid)) {
    leaders_.push_back(std::move(*shell));
  }
}

/// Tags repeat after 16,384 panes; then the cookie, if the process still has it, tells two tabs apart.
bool TabProcesses::is_in_tab(const MarkedProcess& process) const {
  const std::string instance = cookie_.substr(0, cookie_.rfind(':') + 1);
  const bool of_another_tab = process.tab_cookie.starts_with(instance) && process.tab_cookie != cookie_;
  return process.info.start_ticks >= pane_.start_ticks &&
         (process.info.session == pane_.pid || process.tab_cookie == cookie_ ||
          (process.tag && process.tag->tab() == tag_.tab() && !of_another_tab));
}

/// Whether a process of the tab started this one, which has no mark of another tab, and perhaps none at all:
/// sudo with a terminal of its own begins a session, clears the environment, and sets the limits.
bool TabProcesses::is_child(const MarkedProcess& process) const {
  const auto parent = seen_.find(process.info.parent);
  return parent != seen_.end() && process.info.start_ticks >= parent->second.info.start_ticks &&
         (process.tab_cookie.empty() || process.tab_cookie == cookie_) &&
         (!process.tag || process.tag->tab() == tag_.tab());
}

asio::awaitable<void> TabProcesses::look() {
  const auto all = co_await table_.look();
  seen_.clear();
  const auto take = [this, &all](auto belongs) {
    const std::size_t before = seen_.size();
    for (const MarkedProcess& process : *all) {
      if (process.info.id() != pane_ && !seen_.contains(process.info.pid) && belongs(process)) {
        SeenProcess& taken = seen_[process.info.pid];
        taken = {process.info, process.tag, outlives_hangup(process.info.pid)};
        taken.info.parent = known_.parent_of(process.info).value_or(process.info.parent);
      }
    }
    return seen_.size() > before;
  };
  take([this](const MarkedProcess& process) { return is_in_tab(process) || known_.parent_of(process.info); });
  while (take([this](const MarkedProcess& process) { return is_child(process); })) {
  }
  known_.add(seen_);
  if (!detachment_) {
    detachment_.emplace(leaders_, seen_, known_.sessions_in_front);
    known_.sessions_in_front = detachment_->sessions_in_front();
  }
}

SeenGroup TabProcesses::group(int number) const {
  SeenGroup group;
  for (const auto& [pid, process] : seen_) {
    if (process.info.group != number) {
      continue;
    }
    if (why_detached(process).empty()) {
      group.attached.push_back(process.info.id());
    } else {
      group.is_whole = false;
      group.key_hits_detached = group.key_hits_detached || !ignores_interrupt(pid);
    }
  }
  return group;
}

Survivor survivor(const ProcessInfo& process, std::string why) {
  return Survivor{process.pid, describe_process(process.pid), std::move(why)};
}

}  // namespace terminally
