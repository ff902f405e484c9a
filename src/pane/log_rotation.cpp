// Rotation: the part of LogFiles that renames full segments and drops old ones. doc/pane-log.md, "Rotation".
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "pane/log_files.hpp"

namespace terminally {
namespace {

// After a power loss, the record of a new segment without the old one's new name would give its bytes the
// offsets of the new one.
void sync_directory_of(LogPath path) {
  std::size_t end = std::string_view(path.data()).rfind('/');
  end = end == std::string_view::npos ? 0 : end + 1;
  path[end] = '.';
  path[end + 1] = '\0';
  const UniqueFd directory(::open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) {
    ::fsync(directory.get());
  }
}

}  // namespace

// In this order, so that a reader and the next writer can tell from the names alone how far it came:
//   1. the segment's bytes are on disk
//   2. it gets its last name, on disk as well: as long as the record is missing, it is the last segment still
//   3. the record: the next byte begins a segment
//   4. the new live file
// When a step fails, the segment grows on under whichever name it has, and the next append tries again.
void LogFiles::rotate() {
  if (!renamed_) {
    sync();
    if (::rename(log_path_.data(), segment_path(segment_.offset).data()) != 0) {
      return;
    }
    renamed_ = true;
    sync_directory_of(log_path_);
  }
  if (begin_segment()) {
    log_.reset();
    drop_old_segments();
    static_cast<void>(open_live());  // else the next open() tries again
  }
}

bool LogFiles::begin_segment() {
  if (!append_record(LogRecord::Kind::segment, offset_)) {
    return false;
  }
  segment_ = {.kind = LogRecord::Kind::segment, .offset = offset_, .position = position_, .time_ms = 0};
  renamed_ = false;
  return true;
}

// The rotated ones and a whole live one together stay under the quota. `newest`: it was rotated just now.
bool LogFiles::is_dropped(std::uint64_t position, bool newest) const {
  if (position_ - position + limits_.segment_bytes > limits_.quota_bytes) {
    return true;
  }
  return !newest && limits_.min_free_bytes > 0 && sidecar_.free_bytes() < limits_.min_free_bytes / 2;
}

// From the oldest on. Whether a segment is there is told by its file alone, so nothing is recorded.
void LogFiles::drop_old_segments() {
  LogRecord oldest;
  std::uint64_t first_kept = 0;
  for (std::uint64_t at = 0; at < sidecar_.bytes(); at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!sidecar_.read(at, record)) {
      return;
    }
    if (!record || record->kind != LogRecord::Kind::segment) {
      continue;
    }
    const bool newest = record->position == segment_.position;
    if (at > 0) {
      if (!is_dropped(oldest.position, newest)) {
        break;
      }
      ::unlink(segment_path(oldest.offset).data());
      first_kept = at;
    }
    oldest = *record;
  }
  if (first_kept >= limits_.sidecar_bytes) {
    sidecar_.compact(first_kept);
  }
}

// The disk is full: older bytes of this tab make room for newer ones.
bool LogFiles::drop_oldest_segment() {
  LogRecord oldest;
  for (std::uint64_t at = 0; at < sidecar_.bytes(); at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!sidecar_.read(at, record)) {
      return false;
    }
    if (!record || record->kind != LogRecord::Kind::segment) {
      continue;
    }
    if (at > 0 && ::unlink(segment_path(oldest.offset).data()) == 0) {
      return true;
    }
    oldest = *record;
  }
  return false;
}

}  // namespace terminally
