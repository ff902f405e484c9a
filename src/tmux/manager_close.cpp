// The end of a tab, and of the instance.

#include <signal.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/instance_end.hpp"
#include "tmux/log_end.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/tab_processes.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kHangUpFor{700};
constexpr Milliseconds kTermUntil{1'400};
constexpr Milliseconds kEndProcessesWithin{2'000};
/// From the first SIGKILL on, however late a machine that stood still let it come.
constexpr Milliseconds kKillFor{600};

}  // namespace

/// HUP, TERM, KILL over 2 s, for everything that runs in the tab: its session, and what left the session but
/// carries its tag or its cookie.
TmuxManager::Awaitable<std::vector<Survivor>> TmuxManager::Impl::end_processes(Tab& tab, bool force) {
  const auto begin = Clock::now();
  auto deadline = begin + kEndProcessesWithin;
  // First: terminally-shell starts no other shell in place of one that was killed.
  signal_process(tab.pane_pid, SIGHUP);
  int last_signal = 0;
  TabProcesses processes(processes_, tab);
  co_await processes.look();
  while (!processes.seen().empty() && (last_signal != SIGKILL || Clock::now() < deadline)) {
    const auto elapsed = Clock::now() - begin;
    const int signal = force || elapsed >= kTermUntil ? SIGKILL : elapsed >= kHangUpFor ? SIGTERM : SIGHUP;
    if (signal == SIGKILL && last_signal != SIGKILL) {
      deadline = std::max(deadline, Clock::now() + kKillFor);
    }
    for (const auto& [pid, process] : processes.seen()) {
      if (signal != last_signal || signal == SIGKILL) {
        signal_process(process.info.id(), signal);
      }
    }
    last_signal = signal;
    co_await sleep_for(Milliseconds(10));
    co_await processes.look();
  }
  std::vector<Survivor> survivors;
  for (const auto& [pid, process] : processes.seen()) {
    survivors.push_back(survivor(process.info));
  }
  co_return survivors;
}

/// What a person split off goes with the tab; another tab that they put beside it stays.
TmuxManager::Awaitable<void> TmuxManager::Impl::close_pane(TabPtr tab) {
  try {
    const TmuxClient tmux = tmux_of(*tab);
    const std::string answer = co_await tmux.query(ask_for_panes());
    const std::vector<PaneRow> rows = parse_pane_rows(answer);
    const bool shared = std::ranges::any_of(rows, [&tab](const PaneRow& row) {
      return row.window == tab->tmux_window && row.tab && row.tab != tab->window;
    });
    const std::string what =
        shared ? "kill-pane -t " + quote(to_string(tab->pane)) : "kill-window -t " + quote(tab->tmux_window);
    co_await tmux.change(what);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
  }
}

TmuxManager::Awaitable<ClosedTab> TmuxManager::Impl::close_tab(WindowId window, bool force) {
  const TabPtr tab = co_await open_tab(window);
  const TmuxClient tmux = tmux_of(*tab);
  if (!co_await tmux.answers()) {
    throw Error(ErrorCode::tmux_timeout,
                "tmux does not answer (its server is stopped or overloaded); the tab was left as it is");
  }
  tab->closing = true;
  if (const auto nonce = tab->files.running_nonce()) {
    remove_file(tab->files.directory() /
                (std::to_string(tab->pane.number) + ".run"));  // no new shell in its place
  }
  ClosedTab closed;
  closed.survivors = co_await end_processes(*tab, force);
  // The pane's own process ends with its shell; tmux then reads what is left in the terminal and closes the
  // window.
  const auto deadline = Clock::now() + Milliseconds(500);
  while (!notice_if_closed(*tab) && Clock::now() < deadline) {
    co_await sleep_for(Milliseconds(5));
  }
  if (!tab->closed) {
    signal_process(tab->pane_pid, SIGKILL);
  }
  co_await wait_for_log_end(tab->log, Clock::now() + kLogEndsWithin);
  co_await close_pane(tab);
  tab->closed = true;
  remove_file(tab->files.lock_path());
  if (std::ranges::all_of(tabs_, [](const auto& entry) { return entry.second->closed; })) {
    client_.drop_spare();
  }
  tab_came_or_went();
  for (const RunPtr& run : std::vector(tab->runs)) {
    co_await run->catch_up();
    run->give_up(Reason::tab_closed);
  }
  closed.closed = true;
  co_return closed;
}

TmuxManager::Awaitable<void> TmuxManager::Impl::shut_down() {
  server_watch_.stop();
  writer_guards_.clear();
  log_keeper_.reset();
  for (const auto& [window, tab] : tabs_) {
    for (const RunPtr& run : durable_ ? std::vector<RunPtr>() : std::vector(tab->runs)) {
      run->give_up(Reason::tab_closed);
    }
  }
  client_.drop_spare();
  if (!durable_ && owner_lock_) {
    co_await end_instance(config_, instance_, server_pid_);
  } else if (owner_lock_) {
    co_await sleep_for(
        Milliseconds(20));  // files of commands that have just ended are still being taken away
  }
  owner_lock_.release();
}

}  // namespace terminally
