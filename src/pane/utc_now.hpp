#pragma once

#include <cstdint>
#include <ctime>

namespace terminally {

/// Milliseconds since the epoch, UTC: what the records beside a log are stamped with.
[[nodiscard]] inline std::uint64_t utc_now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

}  // namespace terminally
