#include "tmux/pane_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log_record.hpp"
#include "base/unique_fd.hpp"
#include "tmux/log_index.hpp"

namespace terminally {
namespace {

UniqueFd open_if_there(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno != ENOENT) {
    throw io_error("cannot open " + path.string(), errno);
  }
  return file;
}

std::uint64_t size_of(const UniqueFd& file, const std::filesystem::path& path) {
  struct stat status{};
  if (file && ::fstat(file.get(), &status) != 0) {
    throw io_error("cannot look at " + path.string(), errno);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

// Fewer than asked for only at the end of the file.
std::size_t read_at(const UniqueFd& file, const std::filesystem::path& path, std::uint64_t position, char* to,
                    std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
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

/// The log at one moment: its file, and the index that fits the file's size.
struct Snapshot {
  const std::filesystem::path& path;
  UniqueFd file;
  std::uint64_t file_bytes = 0;
  LogIndex index{{}, 0};

  explicit Snapshot(const std::filesystem::path& log_path) : path(log_path), file(open_if_there(log_path)) {
    const std::filesystem::path sidecar_path = log_path.string() + std::string(kLogSidecarSuffix);
    const UniqueFd sidecar = open_if_there(sidecar_path);
    std::string records;
    // The writer records a gap before the bytes after it. A size that was taken while the sidecar did not
    // change is therefore covered by the records read.
    do {
      const std::size_t known = records.size();
      records.resize(size_of(sidecar, sidecar_path));
      records.resize(known +
                     read_at(sidecar, sidecar_path, known, records.data() + known, records.size() - known));
      file_bytes = size_of(file, path);
    } while (size_of(sidecar, sidecar_path) != records.size());
    index = LogIndex(records, file_bytes);
  }

  [[nodiscard]] std::string bytes(std::uint64_t position, std::uint64_t count) const {
    std::string result(count, '\0');
    result.resize(read_at(file, path, position, result.data(), result.size()));
    return result;
  }
};

struct LastLines {
  std::uint64_t position = 0;  ///< where they begin
  std::uint64_t lines = 0;
};

// Backwards from the end of the file by blocks, counting the line ends before the last byte: a line end that
// is the file's last byte ends the last line and begins none. Not further back than `max_bytes`.
LastLines find_last_lines(const Snapshot& log, std::uint64_t count, std::uint64_t max_bytes,
                          std::size_t block_bytes) {
  if (count == 0 || max_bytes == 0 || log.file_bytes == 0) {
    return {.position = log.file_bytes};
  }
  const std::uint64_t limit = log.file_bytes - std::min(log.file_bytes, max_bytes);
  std::vector<char> block(std::min<std::uint64_t>(block_bytes, log.file_bytes - limit));
  std::uint64_t lines = 1;
  for (std::uint64_t stop = log.file_bytes; stop > limit;) {
    const std::uint64_t start = stop - std::min<std::uint64_t>(block.size(), stop - limit);
    const std::size_t got = read_at(log.file, log.path, start, block.data(), stop - start);
    std::size_t left = stop == log.file_bytes && got > 0 ? got - 1 : got;
    while (const void* found = ::memrchr(block.data(), '\n', left)) {
      left = static_cast<std::size_t>(static_cast<const char*>(found) - block.data());
      if (lines == count) {
        return {.position = start + left + 1, .lines = lines};
      }
      ++lines;
    }
    stop = start;
  }
  return {.position = limit, .lines = lines};
}

}  // namespace

PaneLog::PaneLog(std::filesystem::path path, std::size_t block_bytes)
    : path_(std::move(path)), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {}

std::uint64_t PaneLog::end() const {
  return Snapshot(path_).index.end();
}

PaneLog::Slice PaneLog::read(std::uint64_t from, std::size_t max_bytes) const {
  const Snapshot log(path_);
  const std::uint64_t end = log.index.end();
  const LogIndex::Run* run = log.index.run_after(from);
  Slice slice;
  slice.from = run != nullptr ? std::max(from, run->offset) : end;
  if (slice.from > from) {
    slice.gap_bytes = slice.from - from;
  }
  slice.next = slice.from;
  if (run != nullptr) {
    const std::uint64_t into = slice.from - run->offset;
    slice.gap_unknown = run->unknown_before && into == 0;
    slice.bytes = log.bytes(run->position + into, std::min<std::uint64_t>(max_bytes, run->bytes - into));
    slice.next += slice.bytes.size();
  }
  slice.eof = slice.next == end;
  return slice;
}

PaneLog::Tail PaneLog::last_lines(std::uint64_t count, std::size_t max_bytes) const {
  const Snapshot log(path_);
  const LastLines found = find_last_lines(log, count, max_bytes, block_bytes_);
  Tail tail;
  tail.bytes = log.bytes(found.position, log.file_bytes - found.position);
  tail.lines = found.lines;
  tail.from = log.index.offset_at(found.position);
  tail.next = log.index.end();
  tail.truncated = tail.from > 0;
  tail.gap_bytes = tail.next - tail.from - tail.bytes.size();
  tail.gap_unknown = std::ranges::any_of(log.index.runs(), [&](const LogIndex::Run& run) {
    return run.unknown_before && run.offset > tail.from;
  });
  return tail;
}

}  // namespace terminally
