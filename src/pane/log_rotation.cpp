// Rotation: the part of LogFiles that renames full segments and drops old ones. doc/pane-log.md, "Rotation".
#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>

#include "pane/log_files.hpp"

namespace terminally {
namespace {

std::uint64_t free_bytes(int fd) {
  struct statvfs status{};
  if (::fstatvfs(fd, &status) != 0) {
    return UINT64_MAX;
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
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
    sync_directory();
  }
  if (begin_segment()) {
    log_.reset();
    drop_old_segments();
    static_cast<void>(open_live());  // else the next open() tries again
  }
}

// After a power loss, the record of a new segment without the old one's new name would give its bytes the
// offsets of the new one.
void LogFiles::sync_directory() const {
  Path path = log_path_;
  std::size_t end = std::string_view(path.data()).rfind('/');
  end = end == std::string_view::npos ? 0 : end + 1;
  path[end] = '.';
  path[end + 1] = '\0';
  const UniqueFd directory(::open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) {
    ::fsync(directory.get());
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
  return !newest && limits_.min_free_bytes > 0 && free_bytes(sidecar_.get()) < limits_.min_free_bytes / 2;
}

// From the oldest on. Whether a segment is there is told by its file alone, so nothing is recorded.
void LogFiles::drop_old_segments() {
  LogRecord oldest;
  std::uint64_t first_kept = 0;
  for (std::uint64_t at = 0; at < sidecar_bytes_; at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!read_record(at, record)) {
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
    compact_sidecar(first_kept);
  }
}

// The disk is full: older bytes of this tab make room for newer ones.
bool LogFiles::drop_oldest_segment() {
  LogRecord oldest;
  for (std::uint64_t at = 0; at < sidecar_bytes_; at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!read_record(at, record)) {
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

// What is left out told of bytes that are gone. If nobody knows how many there were, the new sidecar says so.
void LogFiles::compact_sidecar(std::uint64_t first_kept) {
  Path path = sidecar_path_;
  constexpr std::string_view kNew = ".new";
  kNew.copy(path.data() + std::string_view(path.data()).size(), kNew.size());  // the rest is zeros
  UniqueFd fresh(::open(path.data(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fresh || ::flock(fresh.get(), LOCK_EX | LOCK_NB) != 0) {
    return;
  }
  std::uint64_t bytes = 0;
  const auto copy = [&](const LogRecord& record) {
    const LogRecordLine line = encode(record);
    const ssize_t written = ::pwrite(fresh.get(), line.data(), line.size(), static_cast<off_t>(bytes));
    bytes += kLogRecordBytes;
    return written == static_cast<ssize_t>(line.size());
  };
  bool unknown = false;
  bool whole = true;
  for (std::uint64_t at = 0; at < sidecar_bytes_ && whole; at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!read_record(at, record)) {
      whole = false;
      break;
    }
    if (at < first_kept) {
      const bool begins_log = at == 0 && record && record->offset == 0;
      unknown = unknown || (record && record->kind == LogRecord::Kind::start && !begins_log);
      continue;
    }
    whole = !record || copy(*record);
    if (at == first_kept && unknown && record) {
      LogRecord start = *record;
      start.kind = LogRecord::Kind::start;
      whole = whole && copy(start);
    }
  }
  sign_with_pid(fresh);
  if (!whole || ::fdatasync(fresh.get()) != 0 || ::rename(path.data(), sidecar_path_.data()) != 0) {
    ::unlink(path.data());
    return;
  }
  sidecar_ = std::move(fresh);
  sidecar_bytes_ = bytes;
  reserve_next_records();
}

}  // namespace terminally
