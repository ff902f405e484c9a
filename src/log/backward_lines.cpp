// Reads the lines of a file from the last to the first, in blocks.
#include "log/backward_lines.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kFirstBlockBytes = 4 * 1024;  ///< the last few lines are wanted most
constexpr std::uint64_t kBlockBytes = 64 * 1024;

}  // namespace

BackwardLines::BackwardLines(const std::filesystem::path& path) : path_(path), fd_(open_to_read(path)) {
  struct stat info{};
  if (!fd_ && (errno == ENOENT || errno == ENOTDIR)) {
    return;
  }
  if (!fd_ || ::fstat(fd_.get(), &info) != 0) {
    throw io_error("cannot read " + path.string(), errno);
  }
  refuse_unless_regular(fd_.get(), path);
  unread_ = static_cast<std::uint64_t>(info.st_size);
}

/// False at the beginning of the file.
bool BackwardLines::read_block() {
  const auto size =
      static_cast<std::size_t>(std::min(unread_, held_.empty() ? kFirstBlockBytes : kBlockBytes));
  std::string block(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more =
        ::pread(fd_.get(), block.data() + got, size - got, static_cast<off_t>(unread_ - size + got));
    if (more < 0 && errno == EINTR) {
      continue;
    }
    if (more < 0) {
      throw io_error("cannot read " + path_.string(), errno);
    }
    if (more == 0) {
      return false;  // it was cut meanwhile
    }
    got += static_cast<std::size_t>(more);
  }
  unread_ -= size;
  held_.resize(end_);
  held_.insert(0, block);
  end_ = held_.size();
  return size > 0;
}

std::optional<std::string_view> BackwardLines::next() {
  for (;;) {
    while (end_ > 0 && held_[end_ - 1] == '\n') {
      --end_;
    }
    const std::size_t before =
        end_ == 0 ? std::string::npos : std::string_view(held_).substr(0, end_).rfind('\n');
    if (before == std::string_view::npos && read_block()) {
      continue;
    }
    if (end_ == 0) {
      return std::nullopt;
    }
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = std::string_view(held_).substr(begin, end_ - begin);
    end_ = begin;
    return line;
  }
}

}  // namespace terminally
