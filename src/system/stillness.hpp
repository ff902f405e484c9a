#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/timeout.hpp"
#include "base/unique_fd.hpp"

namespace terminally {

/// Whether the shell of a pane and all that descends from it have stood still since they were last asked
/// about: the kernel counts, to the nanosecond, how long each has run. If so, whatever was seen of them then
/// is so still, for a tenth of what it costs to look again. Where that cannot be told (many processes, or
/// threads) they have not.
class Stillness {
 public:
  /// False: to be looked at, now and not before. Throws nothing; microseconds.
  [[nodiscard]] bool lasts(int pane_pid);

  /// After so long they count as moved: who is elsewhere may change the mode of their terminal.
  static constexpr Milliseconds kLongest{10'000};

 private:
  struct Seen {
    int pid = 0;
    UniqueFd times;  ///< kept open where there are plenty of descriptors, for a fifth of the price
    std::string run_time;
  };
  [[nodiscard]] static std::string run_time_now(const Seen& process);
  void look(int pane_pid);

  std::vector<Seen> seen_;  ///< the shell first; none: nothing is known
  Clock::time_point looked_;
};

}  // namespace terminally
