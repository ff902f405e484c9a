// Opens a log and its sidecar as they are at one moment, and reads bytes across segments.
#include "log/log_snapshot.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/log_record.hpp"

namespace terminally {
namespace {

struct stat status_of(const UniqueFd& file, const std::filesystem::path& path) {
  struct stat status{};
  if (file && ::fstat(file.get(), &status) != 0) {
    throw io_error("cannot look at " + path.string(), errno);
  }
  return status;
}

/// Opens a file; none where it is not there. `size_bytes`: its size after the opening.
UniqueFd open_if_there(const std::filesystem::path& path, std::uint64_t* size_bytes = nullptr) {
  UniqueFd file = open_to_read(path);
  if (!file && errno != ENOENT) {
    throw io_error("cannot open " + path.string(), errno);
  }
  const struct stat status = status_of(file, path);
  if (file && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io, "cannot read " + path.string() + ": it is no regular file; remove it");
  }
  if (size_bytes != nullptr) {
    *size_bytes = static_cast<std::uint64_t>(status.st_size);
  }
  return file;
}

// Reads `count` bytes; fewer only at the end of the file.
std::size_t read_at(const UniqueFd& file, const std::filesystem::path& path, std::uint64_t position, char* to,
                    std::size_t count) {
  std::size_t done = 0;
  while (file && done < count) {
    const ssize_t got = ::pread(file.get(), to + done, count - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw io_error("cannot read " + path.string() + " at position " + std::to_string(position), errno);
    }
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::filesystem::path segment_path(const std::filesystem::path& log_path, std::uint64_t first_offset) {
  const std::string& path = log_path.native();
  const std::size_t stem = log_stem_bytes(path);
  const SegmentMark mark = segment_mark(first_offset);
  return path.substr(0, stem).append(mark.begin(), mark.end()).append(path, stem);
}

/// The sidecar, open, with what it holds.
struct Sidecar {
  std::filesystem::path path;
  UniqueFd file;
  std::string records;

  explicit Sidecar(const std::filesystem::path& log_path)
      : path(log_path.native() + std::string(kLogSidecarSuffix)) {
    std::uint64_t size = 0;
    file = open_if_there(path, &size);
    records.resize(size);
    records.resize(read_at(file, path, 0, records.data(), records.size()));
  }

  /// Whether the file was not replaced, and no record was written, since it was read.
  [[nodiscard]] bool unchanged() const {
    if (!file) {
      return ::access(path.c_str(), F_OK) != 0;
    }
    const struct stat now = status_of(file, path);
    if (now.st_nlink == 0 || static_cast<std::uint64_t>(now.st_size) != records.size()) {
      return false;
    }
    // The last record may have been overwritten in place.
    std::string last(std::min<std::size_t>(records.size(), kLogRecordBytes), '\0');
    last.resize(read_at(file, path, records.size() - last.size(), last.data(), last.size()));
    return records.ends_with(last);
  }
};

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
  const Sidecar sidecar(path_);
  const LogIndex known(sidecar.records, 0);
  std::uint64_t size = 0;
  last_ = open_if_there(path_, &size);
  if (!last_) {
    last_ = open_if_there(segment_path(path_, known.segments().back().first_offset), &size);
  }
  if (!sidecar.unchanged()) {
    return false;
  }
  index_ = LogIndex(sidecar.records, size);
  return true;
}

bool LogSnapshot::is_last(const LogIndex::Segment& segment) const {
  return &segment == &index_.segments().back();
}

UniqueFd LogSnapshot::open_segment(const LogIndex::Segment& segment) const {
  return open_if_there(segment_path(path_, segment.first_offset));
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
