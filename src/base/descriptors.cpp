// Makes pipes, and pairs of sockets in their place, whose ends are closed on exec.
// Opens /dev/null in the place of each standard stream that was closed at the start.
// Holds four descriptors back, and gives one up when a call fails for want of a descriptor.

#include "base/descriptors.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "base/error.hpp"

namespace terminally {

Pipe make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    throw io_error("cannot make a pipe", errno);
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Pipe make_socket_pipe() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw io_error("cannot make a pair of sockets", errno);
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void fill_standard_streams() {
  const auto fill = [](int fd, int mode) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      static_cast<void>(::open("/dev/null", mode));  // gets the lowest number that is free: this one
    }
  };
  fill(STDIN_FILENO, O_WRONLY);
  fill(STDOUT_FILENO, O_RDONLY);
  fill(STDERR_FILENO, O_RDWR);
}

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
