#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "base/descriptors.hpp"

namespace terminally {

/// Milliseconds since the epoch, UTC: what the records beside a log are stamped with.
[[nodiscard]] inline std::uint64_t utc_now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

/// The writer's side of a log's timing index, which is never worth a byte of the log: a record that cannot be
/// written is left out, no call waits, and none reports success. Call it only under the log's lock, which
/// guards the index, too. Rules: doc/pane-log.md, "The timing index".
class TimeIndex {
 public:
  static constexpr std::int64_t kMinGapMs = 50;            ///< between records
  static constexpr std::uint64_t kMaxBytes = 1024 * 1024;  ///< at this size every other record is dropped

  /// False when the path is too long.
  [[nodiscard]] bool set_path(std::string_view log_path);

  /// Bytes from `offset` on were logged at `now_ms`, on the monotonic clock.
  void note(std::uint64_t offset, std::int64_t now_ms);

 private:
  [[nodiscard]] bool open();
  [[nodiscard]] bool append(std::uint64_t offset);
  [[nodiscard]] bool thin();

  std::array<char, PATH_MAX> path_{};
  UniqueFd file_;
  std::uint64_t bytes_ = 0;  ///< of whole records
  std::int64_t next_at_ = 0;
};

}  // namespace terminally
