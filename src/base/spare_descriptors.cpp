// Holds four descriptors back, and gives one up when a call fails for want of a descriptor.
#include "base/spare_descriptors.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "base/unique_fd.hpp"

namespace terminally {
namespace {

/// Enough for a log, its sidecar, a record and a process at once.
std::array<UniqueFd, 4> spare_descriptors;
/// Text workers (other threads) read logs, too.
std::mutex spare_descriptors_lock;

void hold_them() {
  for (UniqueFd& spare : spare_descriptors) {
    if (!spare) {
      spare.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    if (!spare) {
      return;
    }
  }
}

}  // namespace

void hold_spare_descriptors() {
  const std::lock_guard<std::mutex> lock(spare_descriptors_lock);
  hold_them();
}

bool gave_up_descriptor(int error_number) {
  if (error_number != EMFILE && error_number != ENFILE) {
    return false;
  }
  const std::lock_guard<std::mutex> lock(spare_descriptors_lock);
  hold_them();
  for (UniqueFd& spare : spare_descriptors) {
    if (spare) {
      spare.reset();
      return true;
    }
  }
  return false;
}

int open_or_use_spare(const char* path, int flags) {
  hold_spare_descriptors();
  const int fd = ::open(path, flags);
  return fd < 0 && gave_up_descriptor(errno) ? ::open(path, flags) : fd;
}

}  // namespace terminally
