#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/descriptors.hpp"

namespace terminally {

// Paths and files of a log for its writer: no call throws or allocates.

using LogPath = std::array<char, PATH_MAX>;

/// The flags for opening the log and the sidecar. O_NONBLOCK: not to wait for the other end of a named pipe
/// that somebody has put in the file's place.
inline constexpr int kLogFileFlags = O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
inline constexpr mode_t kLogFileMode = 0600;

/// Whether `file` is the file at `path`. True where that cannot be known.
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
