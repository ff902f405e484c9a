// Opens paths that the kernel keeps below a directory (openat2).
#include "system/file_root.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

/// The kernel gives up a lookup of ".." (EAGAIN) when something is renamed anywhere on the system meanwhile.
constexpr int kMostTries = 1'000;

int openat2_once(int directory, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) {
    how.flags &= ~static_cast<std::uint64_t>(O_NOCTTY | O_NONBLOCK);  // openat2 refuses these with O_PATH
  }
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
}

UniqueFd openat2_patiently(int directory, const char* path, int flags, std::uint64_t resolve) {
  UniqueFd fd;
  for (int tries = 0; !fd && tries < kMostTries; ++tries) {
    fd.reset(openat2_once(directory, path, flags, resolve));
    if (!fd && errno != EAGAIN && errno != EINTR) {
      break;
    }
  }
  return fd;
}

}  // namespace

FileRoot FileRoot::beneath(std::filesystem::path directory) {
  return {std::move(directory), true};
}

FileRoot FileRoot::anywhere() {
  return {"/", false};
}

UniqueFd FileRoot::open(const std::string& path, int flags) const {
  const UniqueFd directory = openat2_patiently(AT_FDCWD, directory_.c_str(), O_PATH | O_DIRECTORY,
                                               RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!directory) {
    return {};
  }
  // Everything is below "/": there an absolute link stays below it, too.
  const std::uint64_t bound = !bounded_ ? 0U : directory_ == "/" ? RESOLVE_IN_ROOT : RESOLVE_BENEATH;
  return openat2_patiently(directory.get(), path.empty() ? "." : path.c_str(), flags,
                           bound == 0U ? 0U : bound | RESOLVE_NO_MAGICLINKS);
}

UniqueFd reopen(const UniqueFd& place, int flags) {
  const std::string path = "/proc/self/fd/" + std::to_string(place.get());
  return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

bool try_lock_open_file(const UniqueFd& file) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return false;
    }
    if (errno != EINTR) {
      throw io_error("cannot lock it", errno);
    }
  }
  return true;
}

}  // namespace terminally
