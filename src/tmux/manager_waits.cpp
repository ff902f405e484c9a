// wait_for: the one loop in which all kinds of waiting wait.

#include <algorithm>
#include <boost/asio.hpp>
#include <iterator>

#include "base/error.hpp"
#include "command/tab_condition.hpp"
#include "command/way_in.hpp"
#include "log/output.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

/// A command whose END was read is on record by then.
constexpr Milliseconds kEndIsRecorded{100};

CallTime time_to_wait(const ManagerParts& manager, const WaitFor& request) {
  const std::uint64_t timeout_ms = request.waiting.timeout_ms;
  return CallTime(request.hand_over ? std::min(timeout_ms, manager.config.sync_window_ms) : timeout_ms,
                  request.waiting.arrived.value_or(Clock::now()));
}

Awaitable<WaitForResult> wait_in_tab(ManagerParts& manager, WaitFor request, CallTime time) {
  const auto deadline = time.patience();
  const TabPtr tab = co_await manager.tabs.find(request.window_id);
  refuse_beyond_end(tab->log, request.from_byte.value_or(0));
  request.waiting.view.own_files = tab->files.directory();
  LogWatch::Watch watch = manager.log_watch.watch(tab->log.path());
  manager.commands.look_after(tab);
  TabCondition wait(tab, request);
  AsyncMutex::Guard turn;  // for one look through the log
  if (wait.until() == Until::pattern) {
    turn = co_await manager.search_turn();
  }
  TabCondition::Step step = wait.look();
  while ((step == TabCondition::Step::later || step == TabCondition::Step::at_once) &&
         Clock::now() < deadline) {
    const auto wake = std::min(deadline, wait.next_look());
    const bool reads_log = wait.until() == Until::pattern || wait.until() == Until::idle;
    turn.release();
    if (step == TabCondition::Step::at_once) {
      turn = co_await manager.search_turn();
    } else if (reads_log) {
      co_await watch.changed_by(wake);
    } else if (wait.run()) {
      co_await wait.run()->wait_for_end_by(wake);
    } else {
      co_await sleep_until(wake);
    }
    notice_if_closed(*tab);
    manager.commands.look_after(tab);
    step = wait.look();
  }
  turn.release();
  if (step == TabCondition::Step::later && wait.run() && wait.run()->output().end()) {
    co_await wait.run()->wait_for_end_by(Clock::now() + kEndIsRecorded);  // it has ended in time
    step = wait.look();
  }
  WaitForResult waited = wait.result(step);
  if (wait.record()) {
    note_told(*tab, *wait.record());
  }
  ShowOutput how{std::move(request.waiting.view), request.waiting.max_output_bytes, time.returns_by()};
  ShownOutput output =
      co_await manager.results.show(tab, wait.output_range(waited.next_byte), std::move(how));
  waited.output = std::move(output.text);
  std::ranges::move(output.notes, std::back_inserter(waited.notes));
  const bool window_over = request.hand_over && request.waiting.timeout_ms >= manager.config.sync_window_ms;
  if (step == TabCondition::Step::at_once) {
    waited.notes.push_back(
        "its time was over before the log was searched to its end; to go on, call wait_for with from_byte " +
        std::to_string(waited.next_byte));
  } else if (waited.reason == "timeout" && window_over) {
    waited.notes.push_back("no call waits longer than " + std::to_string(manager.config.sync_window_ms) +
                           " ms; to go on, call wait_for with from_byte " + std::to_string(waited.next_byte));
  }
  co_return waited;
}

}  // namespace

Awaitable<WaitForResult> TmuxManager::wait_for(WaitFor request) {
  const CallTime time = time_to_wait(*parts_, request);
  return parts_->within(time, wait_in_tab(*parts_, std::move(request), time));
}

}  // namespace terminally
