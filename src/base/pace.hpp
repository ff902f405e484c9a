#pragma once

#include <algorithm>

#include "base/timeout.hpp"

namespace terminally {

/// How soon to look again at something that has been quiet for `quiet`: a thing that has just changed is
/// likely to change again, and one that has been quiet for minutes may wait a moment.
[[nodiscard]] inline Milliseconds pause_after(Clock::duration quiet, Milliseconds least, Milliseconds most) {
  return std::clamp(std::chrono::duration_cast<Milliseconds>(quiet / 8), least, most);
}

}  // namespace terminally
