// Encodes and decodes the 64-byte records of a log's sidecar.

#include "log/log_record.hpp"

#include <charconv>
#include <system_error>

namespace terminally {

namespace {

// The columns of a line: "start 00000000000000000000 00000000000000000000 001767225600000\n".
struct Field {
  std::size_t at;
  std::size_t digits;
};
constexpr std::size_t kKindLetters = 5;
constexpr Field kOffset{6, 20};
constexpr Field kPosition{27, 20};
constexpr Field kTime{48, 15};
constexpr std::string_view kStart = "start";
constexpr std::string_view kGap = "gap  ";
constexpr std::string_view kSegment = "seg  ";
constexpr std::string_view kOther = "other";
// Kinds with the system's error number: "g0028" (gap), "w0028" (waiting).
constexpr char kGapLetter = 'g';
constexpr char kWaitingLetter = 'w';
constexpr std::size_t kErrorDigits = kKindLetters - 1;
constexpr int kMostError = 9999;

template <std::size_t Size>
void put(std::array<char, Size>& line, Field field, std::uint64_t value) {
  for (std::size_t i = field.digits; i-- > 0; value /= 10) {
    line[field.at + i] = static_cast<char>('0' + value % 10);
  }
}

bool get(std::string_view line, Field field, std::uint64_t& value) {
  const char* begin = line.data() + field.at;
  const char* end = begin + field.digits;
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end && line[field.at - 1] == ' ';
}

std::string_view name(LogRecord::Kind kind) {
  switch (kind) {
    case LogRecord::Kind::waiting:
      break;
    case LogRecord::Kind::start:
      return kStart;
    case LogRecord::Kind::gap:
      return kGap;
    case LogRecord::Kind::segment:
      return kSegment;
    case LogRecord::Kind::other:
      break;
  }
  return kOther;
}

LogRecord::Kind kind_of(std::string_view name) {
  if (name == kStart) {
    return LogRecord::Kind::start;
  }
  if (name == kGap) {
    return LogRecord::Kind::gap;
  }
  return name == kSegment ? LogRecord::Kind::segment : LogRecord::Kind::other;
}

bool names_error(const LogRecord& record) {
  return record.kind == LogRecord::Kind::waiting ||
         (record.kind == LogRecord::Kind::gap && record.error > 0 && record.error <= kMostError);
}

void put_kind(LogRecordLine& line, const LogRecord& record) {
  if (!names_error(record)) {
    name(record.kind).copy(line.data(), kKindLetters);
    return;
  }
  line.front() = record.kind == LogRecord::Kind::gap ? kGapLetter : kWaitingLetter;
  const bool fits = record.error > 0 && record.error <= kMostError;
  put(line, {.at = 1, .digits = kErrorDigits}, fits ? static_cast<std::uint64_t>(record.error) : 0);
}

LogRecord kind_and_error(std::string_view text) {
  LogRecord record{.kind = kind_of(text)};
  const char* end = text.data() + text.size();
  int error = 0;
  const auto [rest, failed] = std::from_chars(text.data() + 1, end, error);
  const bool gap = text.front() == kGapLetter;
  if (failed == std::errc() && rest == end && error >= 0 && (gap || text.front() == kWaitingLetter)) {
    record.kind = gap ? LogRecord::Kind::gap : LogRecord::Kind::waiting;
    record.error = error;
  }
  return record;
}

}  // namespace

SegmentMark segment_mark(std::uint64_t first_offset) {
  SegmentMark mark;
  mark.front() = '.';
  put(mark, {.at = 1, .digits = mark.size() - 1}, first_offset);
  return mark;
}

LogRecordLine encode(const LogRecord& record) {
  LogRecordLine line;
  line.fill(' ');
  put_kind(line, record);
  put(line, kOffset, record.offset);
  put(line, kPosition, record.position);
  put(line, kTime, record.time_ms);
  line.back() = '\n';
  return line;
}

std::optional<LogRecord> decode_log_record(std::string_view line) {
  if (line.size() != kLogRecordBytes || line.back() != '\n') {
    return std::nullopt;
  }
  LogRecord record = kind_and_error(line.substr(0, kKindLetters));
  const bool whole = get(line, kOffset, record.offset) && get(line, kPosition, record.position) &&
                     get(line, kTime, record.time_ms);
  return whole ? std::optional(record) : std::nullopt;
}

}  // namespace terminally
