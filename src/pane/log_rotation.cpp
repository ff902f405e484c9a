// Rotation: the part of LogFiles that renames full segments and drops old ones. doc/pane-log.md, "Rotation".
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "pane/log_files.hpp"

namespace terminally {
namespace {

// Syncs the directory: if a power loss took the old segment's new name and left the new segment's record, the
// old bytes would get the offsets of the new ones.
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

// Rotates in this order, so that a reader and the next writer can tell from the names how far it came:
//   1. the segment's bytes are on disk
//   2. the segment has its final name on disk; until the record is there, it still is the last segment
//   3. the record says that the next byte begins a segment
//   4. the new live file is there
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

// Keeps the rotated segments and a full live one under the quota. `newest`: the segment was just rotated.
bool LogFiles::is_dropped(std::uint64_t position, bool newest) const {
  if (position_ - position + limits_.segment_bytes > limits_.quota_bytes) {
    return true;
  }
  return !newest && limits_.min_free_bytes > 0 && sidecar_.free_bytes() < limits_.min_free_bytes / 2;
}

// Drops segments, the oldest first. Records nothing: a segment is there if its file is.
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
