#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/awaitable.hpp"
#include "base/error.hpp"
#include "base/spawned.hpp"
#include "config.hpp"
#include "tmux/server/call_time.hpp"
#include "tmux/server/tmux_server.hpp"

namespace terminally {

/// The time that each call of the manager has, and what a call answers when that is over.
class CallTimes {
 public:
  /// Both outlive it.
  CallTimes(const Config& config, const TmuxServer& server) : config_(config), server_(server) {}

  [[nodiscard]] std::uint64_t sync_window_ms() const { return config_.sync_window_ms; }
  /// Of a call that waits no longer than the synchronous window, or than its own time-out.
  [[nodiscard]] CallTime call_time(std::uint64_t timeout_ms = UINT64_MAX) const {
    return CallTime(std::min(timeout_ms, config_.sync_window_ms));
  }

  /// What `work` answers if it does by the end of the call's time. Throws Error(tmux_timeout) else, and
  /// `work` goes on: what it uses is its own, or lives as long as the manager.
  template <typename T>
  Awaitable<T> within(CallTime time, Awaitable<T> work) const {
    const Spawned<T> answer = co_await answer_by(time.last_moment(), std::move(work));
    if (!answer.is_over()) {
      throw out_of_time(time);
    }
    co_return answer.result();
  }
  template <typename T>
  Awaitable<T> within_call_time(Awaitable<T> work) const {
    return within(call_time(), std::move(work));
  }

 private:
  [[nodiscard]] Error out_of_time(CallTime time) const {
    return Error(ErrorCode::tmux_timeout,
                 "this took longer than a call may: " + server_.what_held_up(time.arrived()) +
                     ". It is not known whether it was done, or will be; list_tabs and read_screen show it");
  }

  const Config& config_;
  const TmuxServer& server_;
};

}  // namespace terminally
