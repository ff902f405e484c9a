#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

#include "base/timeout.hpp"

namespace terminally {

/// Tells whether a pane's shell and its descendants have stood still since the last call: the kernel counts,
/// to the nanosecond, how long each has run. If so, what was read of them then is still true, for a hundredth
/// of the cost of reading it again. Where that cannot be told (many processes) they count as moved.
class Stillness {
 public:
  /// False: read the processes again, after this call. Throws nothing; takes microseconds.
  [[nodiscard]] bool lasts(int pane_pid);
  /// Whether one of them was ready to run, or ran, just now. One that has had no turn yet stood still, too.
  [[nodiscard]] bool one_is_ready() const;

  /// After so long they count as moved: a process elsewhere may have changed the mode of their terminal.
  static constexpr Milliseconds kLongest{10'000};

 private:
  struct Seen {
    int pid = 0;
    clockid_t clock = 0;
    std::chrono::nanoseconds run_time;
  };
  void look(int pane_pid);

  std::vector<Seen> seen_;  ///< the shell first; none: nothing is known
  Clock::time_point looked_;
};

}  // namespace terminally
