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

/// A log's sidecar has the log's path with this suffix.
inline constexpr std::string_view kLogSidecarSuffix = ".index";

/// A full segment is renamed: "pane-@3.log" to "pane-@3.00000000000000000000.log", by the offset of its first
/// byte. This is the size of the path before that mark.
[[nodiscard]] constexpr std::size_t log_stem_bytes(std::string_view log_path) {
  return log_path.size() - (log_path.ends_with(".log") ? 4 : 0);
}
using SegmentMark = std::array<char, 21>;
[[nodiscard]] SegmentMark segment_mark(std::uint64_t first_offset);

/// One record of the sidecar of a log: the byte at `position` has the offset `offset` among all bytes of the
/// tab. Positions count the bytes that were written, through all segments. Byte format and meaning:
/// doc/pane-log.md, "The sidecar". Shared by the writer, which is built without exceptions, and the reader.
struct LogRecord {
  enum class Kind {
    start,    ///< a writer started; any but the first means an unknown number of bytes is missing before
              ///< `offset`
    gap,      ///< bytes were dropped before `offset`; how many follows from the records
    segment,  ///< the byte at `position` is the first of a file: of the live one, until the next such record
    waiting,  ///< the log takes nothing; the writer has the bytes up to `position` in its memory and dropped
              ///< those between them and `offset`. Always the last record: it is overwritten in place
    other,    ///< a kind this version does not know: its offset and position hold all the same
  };
  Kind kind = Kind::other;
  std::uint64_t offset = 0;
  std::uint64_t position = 0;
  std::uint64_t time_ms = 0;  ///< when it was written, since the epoch, UTC
  int error = 0;              ///< of a gap and of `waiting`: why the log took nothing (errno); 0: not known

  bool operator==(const LogRecord&) const = default;
};

/// Every record is one line of exactly this many bytes: none straddles a page, so none is seen half written.
inline constexpr std::size_t kLogRecordBytes = 64;
using LogRecordLine = std::array<char, kLogRecordBytes>;

[[nodiscard]] LogRecordLine encode(const LogRecord& record);

/// nullopt for anything but a whole, well-formed line: after a power loss a file can end in zeros.
[[nodiscard]] std::optional<LogRecord> decode_log_record(std::string_view line);

}  // namespace terminally
