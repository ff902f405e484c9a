// Builds the runs and the segments of a log from the records of its sidecar.
#include "log/log_index.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>

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

}  // namespace terminally
