// Builds the runs and the segments of a log from the records of its sidecar.
// Opens a log and its sidecar as they are at one moment, and reads bytes across segments.

#include "log/log_snapshot.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>

#include "log/log_file.hpp"
#include "log/log_record.hpp"

namespace terminally {

namespace {

std::vector<LogRecord> whole_records(std::string_view lines) {
  std::vector<LogRecord> records;
  for (; lines.size() >= kLogRecordBytes; lines.remove_prefix(kLogRecordBytes)) {
    if (const auto record = decode_log_record(lines.substr(0, kLogRecordBytes))) {
      records.push_back(*record);
    }
  }
  return records;
}

bool begins_with_segment(const std::vector<LogRecord>& records) {
  return !records.empty() && records.front().kind == LogRecord::Kind::segment;
}

std::vector<LogIndex::Segment> segments_of(const std::vector<LogRecord>& records, std::uint64_t last_bytes) {
  std::vector<LogIndex::Segment> segments(begins_with_segment(records) ? 0 : 1);
  for (const LogRecord& record : records) {
    if (record.kind == LogRecord::Kind::segment) {
      if (!segments.empty()) {
        segments.back().end = record.position;
      }
      segments.push_back({.first_offset = record.offset, .position = record.position, .end = 0});
    }
  }
  segments.back().end = segments.back().position + last_bytes;
  return segments;
}

// The runs that begin at records, without their ends; first the run that needs no record.
std::vector<LogIndex::Run> starts_of_runs(const std::vector<LogRecord>& records) {
  std::vector<LogIndex::Run> runs(begins_with_segment(records) ? 0 : 1);
  bool first = true;
  for (const LogRecord& record : records) {
    const bool begins_log = first && record.offset == 0;
    first = false;
    runs.push_back({.offset = record.offset,
                    .position = record.position,
                    .bytes = 0,
                    .unknown_before = record.kind == LogRecord::Kind::start && !begins_log,
                    .error_before = record.error});
  }
  return runs;
}

// Joins runs: a new segment, or a restart that lost nothing, begins no run.
void join(std::vector<LogIndex::Run>& runs) {
  std::vector<LogIndex::Run> joined;
  for (const LogIndex::Run& run : runs) {
    if (run.bytes == 0) {
      continue;
    }
    if (!joined.empty() && !run.unknown_before && joined.back().end() == run.offset &&
        joined.back().position + joined.back().bytes == run.position) {
      joined.back().bytes += run.bytes;
    } else {
      joined.push_back(run);
    }
  }
  runs = std::move(joined);
}

}  // namespace

LogIndex::LogIndex(std::string_view lines, std::uint64_t last_bytes) {
  std::vector<LogRecord> records = whole_records(lines);
  segments_ = segments_of(records, last_bytes);
  std::optional<LogRecord> waits;
  if (!records.empty() && records.back().kind == LogRecord::Kind::waiting &&
      records.back().position >= end_position()) {
    waits = records.back();  // else the record is a gap like any other
    records.pop_back();
  }
  runs_ = starts_of_runs(records);
  // From the end: a run ends where the next begins. A later record with a smaller position means that the
  // file lost its last bytes (power loss): the bytes at that position belong to the later record.
  std::uint64_t stop = end_position();
  for (Run& run : std::views::reverse(runs_)) {
    run.bytes = stop > run.position ? stop - run.position : 0;
    stop = std::min(stop, run.position);
  }
  bool unknown = false;
  for (Run& run : runs_) {
    run.offset = std::max(run.offset, end_);  // no offset means two bytes, whatever the records say
    end_ = run.end();
    unknown = unknown || run.unknown_before;
    run.unknown_before = unknown;
    unknown = unknown && run.bytes == 0;  // a run without bytes leaves its gap to the next one
  }
  join(runs_);
  if (waits) {
    waiting_.kept = waits->position - end_position();
    const std::uint64_t kept_end = end_ + waiting_.kept;
    waiting_.lost = waits->offset - std::min(waits->offset, kept_end);
    waiting_.error = waits->error;
  }
}

const LogIndex::Segment& LogIndex::segment_at(std::uint64_t position) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), position,
                       [](std::uint64_t value, const Segment& segment) { return value < segment.position; });
  return after == segments_.begin() ? segments_.front() : *std::prev(after);
}

const LogIndex::Run* LogIndex::run_after(std::uint64_t offset) const {
  const auto found = std::upper_bound(runs_.begin(), runs_.end(), offset,
                                      [](std::uint64_t value, const Run& run) { return value < run.end(); });
  return found == runs_.end() ? nullptr : &*found;
}

std::uint64_t LogIndex::offset_at(std::uint64_t position) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), position,
                       [](std::uint64_t value, const Run& run) { return value < run.position; });
  if (after == runs_.begin()) {
    return end_;
  }
  const Run& run = *std::prev(after);
  const std::uint64_t into = position - run.position;
  return into < run.bytes ? run.offset + into : end_;
}

namespace {

std::filesystem::path segment_path(const std::filesystem::path& log_path, std::uint64_t first_offset) {
  const std::string& path = log_path.native();
  const std::size_t stem = log_stem_bytes(path);
  const SegmentMark mark = segment_mark(first_offset);
  return path.substr(0, stem).append(mark.begin(), mark.end()).append(path, stem);
}

}  // namespace

LogSnapshot::LogSnapshot(const std::filesystem::path& log_path) : path_(log_path) {
  while (!try_to_take()) {
  }
}

/// The writer renames a full segment, then records that another begins, then makes the live file anew. So if
/// no record was written from before the live file was opened until after its size was taken, the live file
/// is the last segment of the records; without a live file, that segment has its final name already. A gap is
/// recorded before the bytes after it, so the records cover that size.
bool LogSnapshot::try_to_take() {
  const SidecarFile sidecar(path_);
  const LogIndex known(sidecar.records(), 0);
  std::uint64_t size = 0;
  last_ = open_log_file(path_, &size);
  if (!last_) {
    last_ = open_log_file(segment_path(path_, known.segments().back().first_offset), &size);
  }
  if (!sidecar.unchanged()) {
    return false;
  }
  index_ = LogIndex(sidecar.records(), size);
  return true;
}

bool LogSnapshot::is_last(const LogIndex::Segment& segment) const {
  return &segment == &index_.segments().back();
}

UniqueFd LogSnapshot::open_segment(const LogIndex::Segment& segment) const {
  return open_log_file(segment_path(path_, segment.first_offset));
}

std::size_t LogSnapshot::read_in(const LogIndex::Segment& segment, std::uint64_t position, char* to,
                                 std::size_t count) const {
  count =
      static_cast<std::size_t>(std::min<std::uint64_t>(count, segment.end - std::min(position, segment.end)));
  if (is_last(segment)) {
    return read_at(last_, path_, position - segment.position, to, count);
  }
  return read_at(open_segment(segment), path_, position - segment.position, to, count);
}

std::string LogSnapshot::bytes(std::uint64_t position, std::uint64_t count) const {
  count = std::min(count, index_.end_position() - std::min(position, index_.end_position()));
  std::string result(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const LogIndex::Segment& segment = index_.segment_at(position + done);
    const std::size_t got = read_in(segment, position + done, result.data() + done, count - done);
    done += got;
    if (got == 0 || position + done < std::min(segment.end, position + count)) {
      break;
    }
  }
  result.resize(done);
  return result;
}

std::uint64_t LogSnapshot::behind_hole(std::uint64_t position) const {
  return index_.segment_at(position).end;
}

std::size_t LogSnapshot::read_before(std::uint64_t stop, char* to, std::size_t count) const {
  if (stop <= index_.segments().front().position) {
    return 0;
  }
  const LogIndex::Segment& segment = index_.segment_at(stop - 1);
  const std::uint64_t start = std::max(segment.position, stop - std::min<std::uint64_t>(count, stop));
  return read_in(segment, start, to, static_cast<std::size_t>(stop - start)) == stop - start
             ? static_cast<std::size_t>(stop - start)
             : 0;
}

std::uint64_t LogSnapshot::held_bytes(std::uint64_t from, std::uint64_t to) const {
  std::uint64_t held = 0;
  for (const LogIndex::Segment& segment : index_.segments()) {
    const std::uint64_t begin = std::max(from, segment.position);
    std::uint64_t end = std::min(to, segment.end);
    if (begin < end && !is_last(segment)) {
      struct stat status{};
      const bool there = ::stat(segment_path(path_, segment.first_offset).c_str(), &status) == 0;
      end = std::min(end, segment.position + static_cast<std::uint64_t>(there ? status.st_size : 0));
    }
    held += end - std::min(begin, end);
  }
  return held;
}

}  // namespace terminally
