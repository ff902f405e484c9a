#include "tmux/tab_processes.hpp"

#include <algorithm>
#include <boost/asio.hpp>

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How many processes are looked at before others may run: under a millisecond's worth.
constexpr std::size_t kAtOnce = 32;

bool was_there(const ProcessInfo& process, const CommandMarks& command) {
  // A tick is 10 ms: what was started in the same one is told apart by having been there.
  return process.start_ticks < command.started_ticks ||
         (process.start_ticks == command.started_ticks &&
          std::ranges::find(command.older_jobs, process.pid) != command.older_jobs.end());
}

/// Of a process without a tag of the tab's: it was started where none could be given, or gave itself another
/// limit.
Whose whose_by_ancestors(const SeenProcess& process, const SeenProcesses& all, const CommandMarks& command) {
  const SeenProcess* below = &process;
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    const int parent = below->info.parent;
    if (parent == command.shell_pid) {
      return Whose::command;
    }
    const auto found = all.find(parent);
    if (found == all.end() || !found->second.in_tab) {
      break;  // what started it has ended
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
  if (!process.in_tab) {
    return Whose::others;
  }
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

TabProcesses::TabProcesses(const Tab& tab) : pane_(tab.pane_pid), cookie_(tab.cookie), tag_(tab.tag) {}

void TabProcesses::look_at(int pid) {
  auto info = process_info(pid);
  if (!info || info->state == 'Z') {
    return;
  }
  SeenProcess process;
  process.tag = info->start_ticks < pane_.start_ticks ? std::nullopt : process_tag(pid);
  process.in_tab = info->start_ticks >= pane_.start_ticks &&
                   (info->session == pane_.pid || (process.tag && process.tag->tab() == tag_.tab()) ||
                    process_has_environment(pid, cookie_));
  process.info = std::move(*info);
  if (!process.in_tab) {
    others_.insert(pid);
  } else if (process.info.id() != pane_) {
    seen_.insert_or_assign(pid, std::move(process));
  }
}

asio::awaitable<void> TabProcesses::look() {
  seen_.clear();
  std::size_t looked_at = 0;
  for (const int pid : all_pids()) {
    if (others_.contains(pid)) {
      continue;
    }
    look_at(pid);
    if (++looked_at % kAtOnce == 0) {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  }
}

Survivor survivor(const ProcessInfo& process) {
  return Survivor{process.pid, describe_process(process.pid)};
}

}  // namespace terminally
