#pragma once

#include <algorithm>

#include "base/timeout.hpp"

namespace terminally {

/// When the writer of a pane's log is started again: at once where one was there, and ever later while none
/// comes.
class WriterTries {
 public:
  explicit WriterTries(Clock::time_point begun) : next_(begun + kStartsWithin) {}

  [[nodiscard]] Clock::time_point next() const { return next_; }
  void tried(Clock::time_point now) {
    next_ = now + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
  void lost_one(Clock::time_point now) {
    pause_ = kFirstPause;
    next_ = now;
  }

 private:
  /// How long the writer of a new pane may take to start.
  static constexpr Milliseconds kStartsWithin{500};
  static constexpr Milliseconds kFirstPause{50};
  static constexpr Milliseconds kLongestPause{5'000};

  Clock::time_point next_;
  Milliseconds pause_ = kFirstPause;
};

}  // namespace terminally
