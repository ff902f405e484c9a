// Reads the timing index of a log from its end, so that later records win.
// Cuts a log into pieces, with the time that passed between them by the timing index.

#include "log/recording.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/files.hpp"

namespace terminally {

LogTimes::LogTimes(std::string_view records) {
  // From the end, because later records hold: the writer thins the file in place, and a power loss can leave
  // an index that is ahead of its log.
  records.remove_suffix(records.size() % kTimeRecordBytes);
  for (; !records.empty(); records.remove_suffix(kTimeRecordBytes)) {
    const auto record = decode_time_record(records.substr(records.size() - kTimeRecordBytes));
    if (record && (records_.empty() || record->offset < records_.back().offset)) {
      records_.push_back(*record);
    }
  }
  std::reverse(records_.begin(), records_.end());
}

LogTimes LogTimes::read(const std::filesystem::path& log_path) {
  return LogTimes(read_file(log_path.string() + std::string(kLogTimesSuffix)).value_or(""));
}

Recording::Recording(PaneLog log, LogTimes times, std::uint64_t from)
    : log_(std::move(log)), times_(std::move(times)), from_(from), end_(log_.end()), next_read_(from) {
  record_ = record_before(from);
}

/// The record that says when the byte at `offset` was printed; the first record for older bytes.
std::size_t Recording::record_before(std::uint64_t offset) const {
  const auto& records = times_.records();
  const auto after =
      std::upper_bound(records.begin(), records.end(), offset,
                       [](std::uint64_t value, const TimeRecord& record) { return value < record.offset; });
  return after == records.begin() ? 0 : static_cast<std::size_t>(after - records.begin()) - 1;
}

std::optional<std::uint64_t> Recording::began_at() const {
  return has_times() ? std::optional(times_.records()[record_before(from_)].time_ms / 1000) : std::nullopt;
}

bool Recording::fill() {
  while (block_.empty() && next_read_ < end_) {
    PaneLog::Slice slice = log_.read(next_read_, PaneLog::kBlockBytes);
    if (slice.bytes.empty() || slice.from >= end_) {
      return false;
    }
    gap_ = slice.gap_bytes.value_or(0);
    gap_unknown_ = slice.gap_unknown;
    block_ = std::move(slice.bytes);
    block_.resize(std::min<std::uint64_t>(block_.size(), end_ - slice.from));
    from_ = slice.from;
    next_read_ = slice.next;
  }
  return !block_.empty();
}

std::optional<Recording::Piece> Recording::next() {
  if (!fill()) {
    return std::nullopt;
  }
  Piece piece;
  piece.gap_bytes = std::exchange(gap_, 0);
  piece.gap_unknown = std::exchange(gap_unknown_, false);
  std::uint64_t count = block_.size();
  if (const auto& records = times_.records(); !records.empty()) {
    const std::size_t record = record_before(from_);
    if (records[record].time_ms > records[record_].time_ms) {
      piece.wait = std::chrono::milliseconds(records[record].time_ms - records[record_].time_ms);
    }
    record_ = record;
    const std::size_t after = record + (records[record].offset <= from_ ? 1 : 0);
    if (after < records.size()) {
      count = std::min(count, records[after].offset - from_);
    }
  }
  piece.bytes = block_.substr(0, count);
  block_.erase(0, count);
  from_ += count;
  return piece;
}

}  // namespace terminally
