#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/unique_fd.hpp"

namespace terminally {

/// Where paths may lead. What is opened is looked up by the kernel in one step (openat2), so whoever swaps
/// directories and links meanwhile cannot lead out of it. May be used from any thread.
class FileRoot {
 public:
  /// What is below a directory, given by its real path: a link that is in it now was put there since, and is
  /// not followed. Links below it are followed as long as they stay there; an absolute one does not.
  [[nodiscard]] static FileRoot beneath(std::filesystem::path directory);
  /// Whatever this user can reach: for people.
  [[nodiscard]] static FileRoot anywhere();

  /// Opens `path`, relative to the directory; "" is the directory itself. Waits for nobody: what is opened
  /// for reading or writing must be known to be a directory or a regular file, see `reopen`. None, with
  /// errno: EXDEV where the path leads out, ENOSYS where the system cannot tell.
  [[nodiscard]] UniqueFd open(const std::string& path, int flags) const;

 private:
  FileRoot(std::filesystem::path directory, bool bounded)
      : directory_(std::move(directory)), bounded_(bounded) {}

  std::filesystem::path directory_;
  bool bounded_;
};

/// What is open as a mere place (O_PATH), opened for reading or writing: it is the same file, whatever has
/// its name by now. None, with errno.
[[nodiscard]] UniqueFd reopen(const UniqueFd& place, int flags);

/// Whether a lock (flock) on an open file or directory could be had at once. Throws Error(io) where there are
/// no locks.
[[nodiscard]] bool try_lock_open_file(const UniqueFd& file);

}  // namespace terminally
