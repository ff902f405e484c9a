#pragma once

#include <algorithm>
#include <cstdint>

#include "base/timeout.hpp"

namespace terminally {

/// The time of one call, from its arrival. No call outlives the lesser of its own time-out and the
/// synchronous window by more than 6 s, whatever stands before it: so long may it take to end a command by
/// force.
class CallTime {
 public:
  /// `limit_ms`: the lesser of the two.
  explicit CallTime(std::uint64_t limit_ms, Clock::time_point arrived = Clock::now())
      : arrived_(arrived), limit_(static_cast<Milliseconds::rep>(std::min(limit_ms, kLongestMs))) {}

  /// How long what stands before it is waited for: a queue, a prompt.
  [[nodiscard]] Clock::time_point patience() const { return arrived_ + limit_; }
  /// The same for what should be there in a moment, however short the time-out is.
  [[nodiscard]] Clock::time_point short_patience() const {
    return arrived_ + std::max(limit_, Milliseconds(1'000));
  }
  /// When its answer is made, whatever is known by then.
  [[nodiscard]] Clock::time_point returns_by() const { return arrived_ + limit_ + kOver; }
  /// When it answers that it does not know, should it be held up even then.
  [[nodiscard]] Clock::time_point last_moment() const { return returns_by() + Milliseconds(100); }
  [[nodiscard]] Clock::time_point arrived() const { return arrived_; }

 private:
  static constexpr std::uint64_t kLongestMs = 20ULL * 365 * 24 * 3'600 * 1'000;
  static constexpr Milliseconds kOver{5'850};  ///< 6 s, and a moment to write the answer in

  Clock::time_point arrived_;
  Milliseconds limit_;
};

}  // namespace terminally
