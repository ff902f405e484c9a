#include "tmux/log_index.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/log_record.hpp"

namespace terminally {
namespace {

// Runs that begin where the records say, not yet with an end. Begins with the run that needs no record.
std::vector<LogIndex::Run> starts_of_runs(std::string_view records) {
  std::vector<LogIndex::Run> runs(1);
  bool first = true;
  for (; records.size() >= kLogRecordBytes; records.remove_prefix(kLogRecordBytes)) {
    const auto record = decode_log_record(records.substr(0, kLogRecordBytes));
    if (!record) {
      continue;
    }
    const bool begins_log = first && record->offset == 0;
    first = false;
    runs.push_back({.offset = record->offset,
                    .position = record->position,
                    .bytes = 0,
                    .unknown_before = record->kind == LogRecord::Kind::start && !begins_log});
  }
  return runs;
}

}  // namespace

LogIndex::LogIndex(std::string_view records, std::uint64_t file_bytes) : runs_(starts_of_runs(records)) {
  // From the end: a run ends where the next begins. A later record with a smaller position means that the
  // file lost its last bytes (power loss): what is there now belongs to the later record.
  std::uint64_t stop = file_bytes;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    run->bytes = stop > run->position ? stop - run->position : 0;
    stop = std::min(stop, run->position);
  }
  bool unknown = false;
  for (Run& run : runs_) {
    run.offset = std::max(run.offset, end_);  // whatever the records say, no offset means two bytes
    end_ = run.end();
    unknown = unknown || run.unknown_before;
    run.unknown_before = unknown;
    unknown = unknown && run.bytes == 0;  // a run without bytes leaves its gap to the next one
  }
  std::erase_if(runs_, [](const Run& run) { return run.bytes == 0; });
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
