#include "pane/log_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace terminally {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr int kCommonFlags = O_CREAT | O_CLOEXEC | O_NOFOLLOW;

std::uint64_t wall_clock_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

bool file_size(int fd, std::uint64_t& size) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) {
    return false;
  }
  size = static_cast<std::uint64_t>(status.st_size);
  return true;
}

std::optional<LogRecord> read_record(int fd, std::uint64_t at) {
  LogRecordLine line{};
  const ssize_t count = ::pread(fd, line.data(), line.size(), static_cast<off_t>(at));
  return count == static_cast<ssize_t>(line.size()) ? decode_log_record({line.data(), line.size()})
                                                    : std::nullopt;
}

}  // namespace

bool LogFiles::set_path(std::string_view log_path) {
  if (log_path.size() + kLogSidecarSuffix.size() >= sidecar_path_.size()) {
    return false;
  }
  log_path.copy(log_path_.data(), log_path.size());
  log_path.copy(sidecar_path_.data(), log_path.size());
  kLogSidecarSuffix.copy(sidecar_path_.data() + log_path.size(), kLogSidecarSuffix.size());
  return true;
}

bool LogFiles::open() {
  if (started_) {
    return true;
  }
  if (!lock_sidecar()) {
    return false;
  }
  if (!log_) {
    log_.reset(::open(log_path_.data(), O_WRONLY | O_APPEND | kCommonFlags, kOwnerOnly));
  }
  started_ = log_ && find_end() && append_record(LogRecord::Kind::start, offset_);
  return started_;
}

// Two writers on one log would spoil each other's offsets: a new one waits until the old one has drained its
// input.
bool LogFiles::lock_sidecar() {
  if (!sidecar_) {
    sidecar_.reset(::open(sidecar_path_.data(), O_RDWR | kCommonFlags, kOwnerOnly));
  }
  locked_ = locked_ || (sidecar_ && ::flock(sidecar_.get(), LOCK_EX | LOCK_NB) == 0);
  return locked_;
}

bool LogFiles::find_end() {
  std::uint64_t sidecar_size = 0;
  if (!file_size(log_.get(), position_) || !file_size(sidecar_.get(), sidecar_size)) {
    return false;
  }
  LogRecord last{};  // without any record, offset and position are the same
  sidecar_bytes_ = sidecar_size - sidecar_size % kLogRecordBytes;
  while (sidecar_bytes_ > 0) {
    if (const auto record = read_record(sidecar_.get(), sidecar_bytes_ - kLogRecordBytes)) {
      last = *record;
      break;
    }
    sidecar_bytes_ -= kLogRecordBytes;
  }
  // A power loss can take the file's last bytes and leave the record: offsets once given out are not given
  // out again.
  offset_ = last.offset + (position_ > last.position ? position_ - last.position : 0);
  return true;
}

std::size_t LogFiles::append(const char* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t written = ::write(log_.get(), bytes + done, count - done);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  offset_ += done;
  position_ += done;
  return done;
}

bool LogFiles::record_gap(std::uint64_t dropped) {
  if (!append_record(LogRecord::Kind::gap, offset_ + dropped)) {
    return false;
  }
  offset_ += dropped;
  return true;
}

// Written at a fixed place, so that a record cut short by a full disk is overwritten by the next try.
bool LogFiles::append_record(LogRecord::Kind kind, std::uint64_t offset) {
  const LogRecordLine line =
      encode({.kind = kind, .offset = offset, .position = position_, .time_ms = wall_clock_ms()});
  const ssize_t written =
      ::pwrite(sidecar_.get(), line.data(), line.size(), static_cast<off_t>(sidecar_bytes_));
  if (written != static_cast<ssize_t>(line.size())) {
    return false;
  }
  if (sidecar_bytes_ > 0) {  // all but the first: the offsets of the bytes that follow depend on it
    ::fdatasync(sidecar_.get());
  }
  sidecar_bytes_ += kLogRecordBytes;
  return true;
}

void LogFiles::sync() const {
  if (log_) {
    ::fdatasync(log_.get());
  }
}

}  // namespace terminally
