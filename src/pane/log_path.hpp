#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/unique_fd.hpp"

namespace terminally {

// Paths and files of a log, as its writer has them: no call throws, and nothing is allocated.

using LogPath = std::array<char, PATH_MAX>;

/// How both files are opened. O_NONBLOCK: not to wait for the other end of a named pipe that somebody has put
/// in the file's place.
inline constexpr int kLogFileFlags = O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
inline constexpr mode_t kLogFileMode = 0600;

/// Whether `file` is what has this name. When that cannot be said, it is.
[[nodiscard]] inline bool is_at(const LogPath& path, const UniqueFd& file) {
  struct stat ours{};
  struct stat named{};
  if (::fstat(file.get(), &ours) != 0) {
    return true;
  }
  if (::lstat(path.data(), &named) != 0) {
    return errno != ENOENT && errno != ENOTDIR;
  }
  return ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

[[nodiscard]] inline bool file_size(int fd, std::uint64_t& size) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) {
    return false;
  }
  size = static_cast<std::uint64_t>(status.st_size);
  return true;
}

}  // namespace terminally
