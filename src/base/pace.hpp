#pragma once

#include <algorithm>

#include "base/timeout.hpp"

namespace terminally {

/// How soon to look again at something that has been quiet for so long: what has just changed is likely to
/// change again, and what has been quiet for minutes may wait a moment.
[[nodiscard]] inline Milliseconds pause_after(Clock::duration quiet, Milliseconds least, Milliseconds most) {
  return std::clamp(std::chrono::duration_cast<Milliseconds>(quiet / 8), least, most);
}

}  // namespace terminally
