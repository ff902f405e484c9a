#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/descriptors.hpp"

namespace terminally {

/// A directory that paths may not leave. The kernel looks each path up in one step (openat2), so swapping
/// directories and links meanwhile does not lead out of it. May be used from any thread.
class FileRoot {
 public:
  /// Paths below a directory, given by its real path: a link in that path was put there since, and is not
  /// followed. Links below the directory are followed as long as they stay there; an absolute link does not.
  [[nodiscard]] static FileRoot beneath(std::filesystem::path directory);
  /// All paths that this user can reach: for people.
  [[nodiscard]] static FileRoot anywhere();

  /// Opens `path`, relative to the directory; "" is the directory itself. Does not wait. Open for reading or
  /// writing only what is known to be a directory or a regular file, see `reopen`. None, with errno: EXDEV
  /// where the path leads out, ENOSYS where the system has no openat2.
  [[nodiscard]] UniqueFd open(const std::string& path, int flags) const;

 private:
  FileRoot(std::filesystem::path directory, bool bounded)
      : directory_(std::move(directory)), bounded_(bounded) {}

  std::filesystem::path directory_;
  bool bounded_;
};

/// Opens the file of an O_PATH descriptor for reading or writing, whatever has its name by now. None, with
/// errno.
[[nodiscard]] UniqueFd reopen(const UniqueFd& place, int flags);

/// Tries to lock (flock) an open file or directory. Throws Error(io) where there are no locks.
[[nodiscard]] bool try_lock_open_file(const UniqueFd& file);

}  // namespace terminally
