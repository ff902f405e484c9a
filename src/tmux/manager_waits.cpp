// wait_for: the one loop in which all kinds of waiting wait.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/output.hpp"
#include "tmux/wait.hpp"

namespace terminally {
namespace {

/// A command whose END was read is on record by then.
constexpr Milliseconds kEndIsRecorded{100};

}  // namespace

TmuxManager::Awaitable<Waited> TmuxManager::Impl::wait_for(WaitFor request) {
  const auto arrived = request.waiting.arrived.value_or(Clock::now());
  const auto window_end =
      request.hand_over ? arrived + Milliseconds(config_.sync_window_ms) : Clock::time_point::max();
  const auto deadline = std::min(window_end, arrived + Milliseconds(request.waiting.timeout_ms));
  const TabPtr tab = co_await find_tab(request.window_id);
  refuse_beyond_end(tab->log, request.from_byte.value_or(0));
  request.waiting.view.own_files = tab->files.directory();
  LogWatch::Watch watch = watch_.watch(tab->log.path());
  look_after(tab);
  Wait wait(tab, request);
  Wait::Step step = wait.look();
  while ((step == Wait::Step::later || step == Wait::Step::at_once) && Clock::now() < deadline) {
    const auto wake = std::min(deadline, wait.next_look());
    const bool reads_log = wait.until() == Until::pattern || wait.until() == Until::idle;
    if (step == Wait::Step::at_once) {
      co_await boost::asio::post(executor_, boost::asio::use_awaitable);
    } else if (reads_log) {
      co_await watch.changed_by(wake);
    } else if (wait.run()) {
      co_await wait.run()->ends_by(wake);
    } else {
      co_await sleep_until(wake);
    }
    notice_if_closed(*tab);
    look_after(tab);
    step = wait.look();
  }
  if (step == Wait::Step::later && wait.run() && wait.run()->end_was_seen()) {
    co_await wait.run()->ends_by(Clock::now() + kEndIsRecorded);  // it has ended in time
    step = wait.look();
  }
  Waited waited = wait.result(step);
  const OutputRange range = wait.output_range(waited.next_byte);
  BoundedText output = co_await text_worker_.bounded_text(tab->log, range, request.waiting.view, tab->cols,
                                                          request.waiting.max_output_bytes);
  waited.output = std::move(output.text);
  if (auto note = gap_note(output.gap, "the output")) {
    waited.notes.push_back(std::move(*note));
  }
  if (waited.reason == "timeout" && deadline == window_end) {
    waited.notes.push_back("no call waits longer than " + std::to_string(config_.sync_window_ms) +
                           " ms; to go on, call wait_for with from_byte " + std::to_string(waited.next_byte));
  }
  co_return waited;
}

TmuxManager::Awaitable<Waited> TmuxManager::wait_for(WaitFor request) {
  return impl_->wait_for(std::move(request));
}

}  // namespace terminally
