// The records beside a log: locked by its writer, written at fixed places, compacted when segments have gone.
#include "pane/sidecar.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace terminally {
namespace {

constexpr std::uint64_t kReservedRecords = 2;
/// The suffix of a new sidecar that is not whole yet.
constexpr std::string_view kNew = ".new";

/// Shows the writer's pid to readers, by F_GETLK on the sidecar. The flock is what keeps a second writer out.
void sign_with_pid(const UniqueFd& file) {
  struct flock all{};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  ::fcntl(file.get(), F_SETLK, &all);
}

}  // namespace

bool Sidecar::set_path(std::string_view log_path) {
  if (log_path.size() + kLogSidecarSuffix.size() + kNew.size() + 1 > path_.size()) {
    return false;
  }
  log_path.copy(path_.data(), log_path.size());
  kLogSidecarSuffix.copy(path_.data() + log_path.size(), kLogSidecarSuffix.size());
  return true;
}

bool Sidecar::open() {
  UniqueFd file(::open(path_.data(), O_RDWR | kLogFileFlags, kLogFileMode));
  std::uint64_t size = 0;
  // A file that lost its name was replaced by another writer, which has just ended.
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !is_at(path_, file) ||
      !file_size(file.get(), size)) {
    return false;
  }
  file_ = std::move(file);
  bytes_ = size - size % kLogRecordBytes;
  sign_with_pid(file_);
  return true;
}

bool Sidecar::read(std::uint64_t at, std::optional<LogRecord>& record) const {
  LogRecordLine line{};
  if (::pread(file_.get(), line.data(), line.size(), static_cast<off_t>(at)) !=
      static_cast<ssize_t>(line.size())) {
    return false;
  }
  record = decode_log_record({line.data(), line.size()});
  return true;
}

bool Sidecar::write(const LogRecord& record) {
  const LogRecordLine line = encode(record);
  const ssize_t written = ::pwrite(file_.get(), line.data(), line.size(), static_cast<off_t>(bytes_));
  error_ = written < 0 ? errno : 0;
  return written == static_cast<ssize_t>(line.size());
}

bool Sidecar::append(const LogRecord& record) {
  if (!write(record)) {
    return false;
  }
  if (bytes_ > 0) {  // for all but the first: the offsets of later bytes depend on the record
    ::fdatasync(file_.get());
  }
  bytes_ += kLogRecordBytes;
  told_ = false;  // overwritten
  reserve_next_records();
  return true;
}

bool Sidecar::tell(const LogRecord& record) {
  told_ = write(record);
  return told_;
}

void Sidecar::take_back() {
  if (told_ && file_ && ::ftruncate(file_.get(), static_cast<off_t>(bytes_)) == 0) {
    told_ = false;
    reserve_next_records();
  }
}

// Reserves space, if the file system can, so that a gap can be recorded while the disk is full.
void Sidecar::reserve_next_records() const {
  static_cast<void>(::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(bytes_),
                                kReservedRecords * kLogRecordBytes));
}

std::uint64_t Sidecar::free_bytes() const {
  struct statvfs status{};
  if (::fstatvfs(file_.get(), &status) != 0) {
    return UINT64_MAX;
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

void Sidecar::compact(std::uint64_t first_kept) {
  LogPath path = path_;
  kNew.copy(path.data() + std::string_view(path.data()).size(), kNew.size());  // the rest is zeros
  UniqueFd fresh(::open(path.data(), O_RDWR | O_TRUNC | kLogFileFlags, kLogFileMode));
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
  for (std::uint64_t at = 0; at < bytes_ && whole; at += kLogRecordBytes) {
    std::optional<LogRecord> record;
    if (!read(at, record)) {
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
  if (!whole || ::fdatasync(fresh.get()) != 0 || ::rename(path.data(), path_.data()) != 0) {
    ::unlink(path.data());
    return;
  }
  file_ = std::move(fresh);
  bytes_ = bytes;
  reserve_next_records();
}

}  // namespace terminally
