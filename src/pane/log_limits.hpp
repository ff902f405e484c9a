#pragma once

#include <cstdint>

namespace terminally {

/// How much room the log of one pane takes. All in bytes.
struct LogLimits {
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;  ///< a segment of this size is rotated
  std::uint64_t quota_bytes = std::uint64_t{1} << 30U;     ///< the most for all segments together
  std::uint64_t min_free_bytes =
      0;  ///< with less than half of it free, only the newest rotated segment stays
  /// The sidecar is compacted when so many bytes of it are about segments that are gone.
  std::uint64_t sidecar_bytes = std::uint64_t{16} << 10U;
};

}  // namespace terminally
