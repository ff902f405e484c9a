#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace terminally {

/// A log's timing index has the log's path with this suffix.
inline constexpr std::string_view kLogTimesSuffix = ".times";

/// One record of the timing index: the byte at `offset` was printed at `time_ms`, and the bytes up to the
/// next record within the next moment. Byte format and rules: doc/pane-log.md, "The timing index". Shared by
/// the writer, which is built without exceptions, and the reader.
struct TimeRecord {
  std::uint64_t offset = 0;
  std::uint64_t time_ms = 0;  ///< since the epoch, UTC; never 0

  bool operator==(const TimeRecord&) const = default;
};

inline constexpr std::size_t kTimeRecordBytes = 16;
using TimeRecordBytes = std::array<char, kTimeRecordBytes>;

/// Two 64-bit numbers, the low byte first.
[[nodiscard]] constexpr TimeRecordBytes encode(const TimeRecord& record) {
  TimeRecordBytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(record.offset >> (8 * i) & 0xFFU);
    bytes[8 + i] = static_cast<char>(record.time_ms >> (8 * i) & 0xFFU);
  }
  return bytes;
}

/// nullopt for a record that was cut short, or for zeros, which a power loss can leave at a file's end.
[[nodiscard]] constexpr std::optional<TimeRecord> decode_time_record(std::string_view bytes) {
  if (bytes.size() != kTimeRecordBytes) {
    return std::nullopt;
  }
  TimeRecord record;
  for (std::size_t i = 8; i-- > 0;) {
    record.offset = record.offset << 8U | static_cast<unsigned char>(bytes[i]);
    record.time_ms = record.time_ms << 8U | static_cast<unsigned char>(bytes[8 + i]);
  }
  return record.time_ms != 0 ? std::optional(record) : std::nullopt;
}

}  // namespace terminally
