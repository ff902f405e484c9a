// The writer's side of a log: where the last writer stopped, the live file, and what is appended.

#include "pane/log_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "pane/time_index.hpp"

namespace terminally {

namespace {

constexpr mode_t kDirectoryOfOwner = 0700;

/// Makes the directories above the file.
void make_directories(LogPath path) {
  for (std::size_t i = 1; path[i] != '\0'; ++i) {
    if (path[i] == '/') {
      path[i] = '\0';
      ::mkdir(path.data(), kDirectoryOfOwner);
      path[i] = '/';
    }
  }
}

}  // namespace

bool LogFiles::set_path(std::string_view log_path) {
  if (log_path.size() + SegmentMark().size() + 1 > log_path_.size() || !sidecar_.set_path(log_path)) {
    return false;
  }
  log_path.copy(log_path_.data(), log_path.size());
  stem_bytes_ = log_stem_bytes(log_path);
  return true;
}

void LogFiles::set_limits(const LogLimits& limits) {
  limits_ = limits;
  // No file of ours may grow beyond the limit of file sizes (ulimit -f): no segment, and not the sidecar,
  // which has a record for each segment.
  rlimit file_size{};
  if (::getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t most = file_size.rlim_cur;
    limits_.segment_bytes = std::min<std::uint64_t>(limits_.segment_bytes, most);
    limits_.sidecar_bytes = std::min<std::uint64_t>(limits_.sidecar_bytes, most / 4);
    limits_.quota_bytes = std::min<std::uint64_t>(
        limits_.quota_bytes, std::max<std::uint64_t>(most / 4 / kLogRecordBytes, 2) * limits_.segment_bytes);
  }
  limits_.segment_bytes = std::max<std::uint64_t>(std::min(limits_.segment_bytes, limits_.quota_bytes), 1);
}

LogPath LogFiles::segment_path(std::uint64_t first_offset) const {
  const SegmentMark mark = segment_mark(first_offset);
  const std::string_view rest(log_path_.data() + stem_bytes_);
  LogPath path = log_path_;
  std::copy(mark.begin(), mark.end(), path.data() + stem_bytes_);
  rest.copy(path.data() + stem_bytes_ + mark.size(), rest.size());
  path[stem_bytes_ + mark.size() + rest.size()] = '\0';
  return path;
}

bool LogFiles::open() {
  if (started_ && !still_there()) {
    return false;
  }
  if (!sidecar_.is_open() && !open_sidecar()) {
    return false;
  }
  if (!end_known_ && !find_end()) {
    return false;
  }
  if (!log_ && renamed_ && !begin_segment()) {
    return false;
  }
  if (!log_ && !open_live()) {
    return false;
  }
  started_ = started_ || record_start();
  return started_;
}

bool LogFiles::open_sidecar() {
  if (sidecar_.open()) {
    return true;
  }
  if (errno != ENOENT || !started_) {
    return false;
  }
  make_directories(log_path_);
  return sidecar_.open();
}

// Finds where the last writer stopped, by the last record, the last segment's record and its size.
bool LogFiles::find_end() {
  std::optional<LogRecord> last;
  std::optional<LogRecord> segment;
  std::uint64_t whole = 0;
  for (std::uint64_t at = sidecar_.bytes(); at > 0 && !segment; at -= kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!sidecar_.read(at - kLogRecordBytes, record)) {
      sidecar_.close();
      return false;
    }
    if (record && !last) {
      last = record;
      whole = at;
    }
    if (record && record->kind == LogRecord::Kind::segment) {
      segment = record;
    }
  }
  sidecar_.end_at(whole);  // no whole record follows
  segment_ = segment.value_or(LogRecord());
  struct stat status{};
  // A rotation was cut short: the segment has its final name, and perhaps no later step has happened.
  renamed_ = ::lstat(segment_path(segment_.offset).data(), &status) == 0;
  if (!renamed_ && errno != ENOENT) {
    return false;
  }
  if (!renamed_ && ::lstat(log_path_.data(), &status) != 0) {
    if (errno != ENOENT) {
      return false;
    }
    status = {};
    status.st_mode = S_IFREG;
  }
  if (!S_ISREG(status.st_mode)) {
    return false;
  }
  const LogRecord known = last.value_or(LogRecord());  // without a record, offset and position are the same
  position_ = segment_.position + static_cast<std::uint64_t>(status.st_size);
  // A power loss can take the file's last bytes and leave the record: offsets once given out are not given
  // out again.
  offset_ = known.offset + (position_ > known.position ? position_ - known.position : 0);
  end_known_ = true;
  return true;
}

bool LogFiles::open_live() {
  UniqueFd live(::open(log_path_.data(), O_WRONLY | O_APPEND | kLogFileFlags, kLogFileMode));
  std::uint64_t size = 0;
  if (!live || !file_size(live.get(), size)) {
    error_ = errno;
    return false;
  }
  count_foreign_bytes(size);
  log_ = std::move(live);
  return true;
}

// Counts bytes that others have put into our file, so that offsets stay true.
void LogFiles::count_foreign_bytes(std::uint64_t live_bytes) {
  if (const std::uint64_t end = segment_.position + live_bytes; end > position_) {
    offset_ += end - position_;
    position_ = end;
  }
}

// Appends a start record, unless the last record is the same one, and is not the log's first.
bool LogFiles::record_start() {
  if (sidecar_.bytes() > kLogRecordBytes) {
    std::optional<LogRecord> last;
    if (!sidecar_.read(sidecar_.bytes() - kLogRecordBytes, last)) {
      return false;
    }
    if (last && last->kind == LogRecord::Kind::start && last->offset == offset_ &&
        last->position == position_) {
      return true;
    }
  }
  return append_record(LogRecord::Kind::start, offset_);
}

// Whether the files are still in place: somebody may remove or move them, or their directory, or empty the
// log. The lost bytes are counted, because the next segment begins where the last one ended. A log that was
// emptied, or whose sidecar is gone, is renamed as a rotated segment is.
bool LogFiles::still_there() {
  std::uint64_t size = 0;
  const bool log_there = !log_ || is_at(renamed_ ? segment_path(segment_.offset) : log_path_, log_);
  const bool sidecar_there = !sidecar_.is_open() || sidecar_.is_there();
  const bool whole = !log_ || !file_size(log_.get(), size) || segment_.position + size >= position_;
  if (log_there && sidecar_there && whole) {
    count_foreign_bytes(size);
    return true;
  }
  if (log_ && log_there && !renamed_ &&
      ::rename(log_path_.data(), segment_path(segment_.offset).data()) != 0) {
    return false;
  }
  log_.reset();
  renamed_ = true;
  if (!sidecar_there) {
    sidecar_.close();
  }
  return true;
}

std::uint64_t LogFiles::room_in_segment() const {
  const std::uint64_t size = position_ - std::min(segment_.position, position_);
  return limits_.segment_bytes - std::min(limits_.segment_bytes, size);
}

std::size_t LogFiles::append(const char* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    if (room_in_segment() == 0) {
      rotate();
    }
    if (!log_) {
      break;
    }
    // A segment that cannot be rotated now grows on, beyond its limit.
    const std::uint64_t room = room_in_segment() > 0 ? room_in_segment() : count - done;
    const ssize_t written = ::write(log_.get(), bytes + done,
                                    static_cast<std::size_t>(std::min<std::uint64_t>(count - done, room)));
    if (written < 0 && (errno == EINTR || ((errno == ENOSPC || errno == EDQUOT) && drop_oldest_segment()))) {
      continue;
    }
    if (written <= 0) {
      error_ = errno;
      break;
    }
    done += static_cast<std::size_t>(written);
    offset_ += static_cast<std::uint64_t>(written);
    position_ += static_cast<std::uint64_t>(written);
  }
  return done;
}

bool LogFiles::record_gap(std::uint64_t dropped) {
  if (!append_record(LogRecord::Kind::gap, offset_ + dropped)) {
    return false;
  }
  offset_ += dropped;
  return true;
}

void LogFiles::tell_waiting(std::uint64_t kept, std::uint64_t dropped) {
  if (started_ && sidecar_.is_open()) {
    note_error(sidecar_.tell({.kind = LogRecord::Kind::waiting,
                              .offset = offset_ + kept + dropped,
                              .position = position_ + kept,
                              .time_ms = utc_now_ms(),
                              .error = error_}));
  }
}

bool LogFiles::append_record(LogRecord::Kind kind, std::uint64_t offset) {
  return note_error(sidecar_.append({.kind = kind,
                                     .offset = offset,
                                     .position = position_,
                                     .time_ms = utc_now_ms(),
                                     .error = kind == LogRecord::Kind::gap ? error_ : 0}));
}

/// Keeps the sidecar's error where it took no record. Returns `taken`.
bool LogFiles::note_error(bool taken) {
  if (!taken && sidecar_.error() != 0) {
    error_ = sidecar_.error();
  }
  return taken;
}

void LogFiles::sync() const {
  if (log_) {
    ::fdatasync(log_.get());
  }
}

}  // namespace terminally
