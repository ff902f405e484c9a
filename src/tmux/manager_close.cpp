// The end of a tab, and of the instance.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "command/escalation.hpp"
#include "log/log_end.hpp"
#include "server/instance_end.hpp"
#include "tab/tab_processes.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

/// Without the time that the machine stood still, which is not counted.
constexpr Milliseconds kEndProcessesWithin{2'000};

int signal_of(Pressure pressure) {
  return pressure == Pressure::kill ? SIGKILL : pressure == Pressure::terminate ? SIGTERM : SIGHUP;
}

Awaitable<ClosedTab> end_tab(ManagerParts& manager, WindowId window, bool force) {
  const TabPtr tab = co_await manager.tabs.find_open(window);
  const TmuxClient tmux = manager.server.client_of(*tab);
  if (!co_await tmux.answers()) {
    throw Error(ErrorCode::tmux_timeout,
                "tmux does not answer (its server is stopped or overloaded); the tab was left as it is");
  }
  // From here on it is closed to the end, whatever becomes of the call: what is half ended has no tab any
  // more by which it could be reached.
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  tab->closing = true;
  manager.chooser.forget_main(window);
  if (const auto nonce = tab->files.running_nonce()) {
    tab->files.unmark_running(*nonce);  // no new shell in its place
  }
  ClosedTab closed;
  closed.survivors = co_await manager.end_processes(*tab, force);
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
  co_await manager.close_pane(tab);
  tab->closed = true;
  tab->files.remove_locks();
  if (std::ranges::all_of(manager.tabs.known(), [](const auto& entry) { return entry.second->closed; })) {
    manager.server.client().let_go();
  }
  manager.tabs.changes().came_or_went();
  for (const RunPtr& run : std::vector(tab->runs)) {
    co_await run->catch_up();
    run->give_up(Reason::tab_closed);
  }
  closed.closed = true;
  co_return closed;
}

}  // namespace

/// HUP, TERM, KILL over 2 s, for everything that runs in the tab: its session, and what left the session but
/// carries its tag or its cookie.
Awaitable<std::vector<Survivor>> ManagerParts::end_processes(Tab& tab, bool force) {
  // Comes first, so that terminally-shell starts no other shell in place of one that is killed.
  signal_process(tab.pane_pid, SIGHUP);
  Escalation escalation(kEndTab, force, Clock::now());
  TabProcesses processes(process_table, tab);
  co_await processes.look();
  while (!processes.seen().empty() && escalation.elapsed() < kEndProcessesWithin) {
    escalation.look(Clock::now());
    for (const auto& [pid, process] : processes.seen()) {
      if (escalation.is_due(pid)) {
        signal_process(process.info.id(), signal_of(escalation.pressure()));
      }
    }
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
Awaitable<void> ManagerParts::close_pane(TabPtr tab) {
  try {
    const TmuxClient tmux = server.client_of(*tab);
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

Awaitable<ClosedTab> TmuxManager::close_tab(WindowId tab, bool force) {
  return parts_->within_call_time(end_tab(*parts_, tab, force));
}

Awaitable<void> TmuxManager::shut_down() {
  parts_->tabs.stop();
  for (const auto& [window, tab] : parts_->tabs.known()) {
    for (const RunPtr& run :
         parts_->server.owner().durable() ? std::vector<RunPtr>() : std::vector(tab->runs)) {
      run->give_up(Reason::tab_closed);
    }
  }
  co_await parts_->server.shut_down();
}

}  // namespace terminally
