// Appends records to a log's timing index, and drops every other record when the index is full.

#include "pane/time_index.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "log/log_record.hpp"

namespace terminally {

namespace {

constexpr std::int64_t kIndexRetryMs = 1000;  // so that a full disk is not tried twenty times a second

bool write_at(int fd, const char* bytes, std::size_t count, std::uint64_t at) {
  return ::pwrite(fd, bytes, count, static_cast<off_t>(at)) == static_cast<ssize_t>(count);
}

}  // namespace

bool TimeIndex::set_path(std::string_view log_path) {
  if (log_path.size() + kLogTimesSuffix.size() >= path_.size()) {
    return false;
  }
  log_path.copy(path_.data(), log_path.size());
  kLogTimesSuffix.copy(path_.data() + log_path.size(), kLogTimesSuffix.size());
  return true;
}

void TimeIndex::note(std::uint64_t offset, std::int64_t now_ms) {
  if (now_ms < next_at_) {
    return;
  }
  const bool noted = open() && (bytes_ < kMaxBytes || thin()) && append(offset);
  next_at_ = now_ms + (noted ? kMinGapMs : kIndexRetryMs);
}

bool TimeIndex::open() {
  if (file_) {
    return true;
  }
  UniqueFd file(::open(path_.data(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return false;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  bytes_ = size - size % kTimeRecordBytes;  // a record that was cut short is overwritten
  file_ = std::move(file);
  return true;
}

bool TimeIndex::append(std::uint64_t offset) {
  const TimeRecordBytes record = encode(TimeRecord{.offset = offset, .time_ms = utc_now_ms()});
  if (!write_at(file_.get(), record.data(), record.size(), bytes_)) {
    return false;
  }
  bytes_ += record.size();
  return true;
}

// Drops every other record, in place and by small blocks, because this process must stay tiny. If we are
// killed in between, the file has the thinned beginning and then the old rest, some of it twice: a reader
// takes the later of two records, and so sees a whole index at any moment.
bool TimeIndex::thin() {
  std::array<char, 256 * kTimeRecordBytes> block{};
  std::uint64_t to = 0;
  for (std::uint64_t from = 0; from < bytes_;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), bytes_ - from));
    if (::pread(file_.get(), block.data(), count, static_cast<off_t>(from)) != static_cast<ssize_t>(count)) {
      return false;
    }
    std::size_t kept = 0;
    for (std::size_t at = 0; at < count; at += 2 * kTimeRecordBytes, kept += kTimeRecordBytes) {
      std::copy_n(block.data() + at, kTimeRecordBytes, block.data() + kept);
    }
    if (!write_at(file_.get(), block.data(), kept, to)) {
      return false;
    }
    from += count;
    to += kept;
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(to)) != 0) {
    return false;
  }
  bytes_ = to;
  return true;
}

}  // namespace terminally
