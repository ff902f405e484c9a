#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>

namespace terminally {

/// Monotonic time: deadlines do not move when somebody sets the clock.
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// The time until `when`; negative when `when` has passed.
[[nodiscard]] inline Milliseconds time_until(Clock::time_point when) {
  return std::chrono::duration_cast<Milliseconds>(when - Clock::now());
}

/// Throws operation_aborted when cancelled.
[[nodiscard]] boost::asio::awaitable<void> sleep_until(Clock::time_point when);
[[nodiscard]] inline boost::asio::awaitable<void> sleep_for(Milliseconds time) {
  return sleep_until(Clock::now() + time);
}

/// Runs `work` until it is done, and cancels it at `when`. Says whether `work` was done in time. Passes on
/// what `work` throws; throws operation_aborted when the caller is cancelled.
[[nodiscard]] boost::asio::awaitable<bool> run_until(Clock::time_point when,
                                                     boost::asio::awaitable<void> work);

/// A time on Clock as a number that other processes of this boot understand.
[[nodiscard]] inline std::int64_t steady_ms(Clock::time_point when) {
  return std::chrono::duration_cast<Milliseconds>(when.time_since_epoch()).count();
}

/// Milliseconds since the epoch, UTC: for records that people read, never for deadlines.
[[nodiscard]] std::int64_t wall_clock_ms();

/// How soon to look again at something that has been quiet for `quiet`: a thing that has just changed is
/// likely to change again, and one that has been quiet for minutes may wait a moment.
[[nodiscard]] inline Milliseconds pause_after(Clock::duration quiet, Milliseconds least, Milliseconds most) {
  return std::clamp(std::chrono::duration_cast<Milliseconds>(quiet / 8), least, most);
}

}  // namespace terminally
