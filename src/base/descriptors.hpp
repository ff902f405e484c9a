#pragma once

#include <unistd.h>

#include <utility>

namespace terminally {

/// Owns one file descriptor, -1 for none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

  void reset(int fd = -1) {
    const int old = std::exchange(fd_, fd);
    if (old >= 0) {
      ::close(old);
    }
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

/// Both ends are closed on exec. Throws Error(io).
[[nodiscard]] Pipe make_pipe();

/// As make_pipe, but a pair of sockets: a write without a reader need not raise SIGPIPE (MSG_NOSIGNAL).
[[nodiscard]] Pipe make_socket_pipe();

/// Opens /dev/null for each of stdin, stdout and stderr that our starter left closed (`>&-`): else the next
/// file or socket that we open would get that number, and what we print. Reading from such a stdin and
/// writing to such a stdout still fails. To be called first in `main`.
void fill_standard_streams();

// A few descriptors are held back, so that a process that has reached its limit (EMFILE), or the system's
// (ENFILE), can still read /proc and its own files: else live processes would look dead. For any thread.

/// Opens the spare descriptors that are missing, as far as the limit allows. To be called at the start of the
/// program: then their numbers are low, below any limit that is set later.
void hold_spare_descriptors();

/// As open(2), but uses a spare descriptor when no other is left. The caller closes it again soon.
[[nodiscard]] int open_or_use_spare(const char* path, int flags);

/// For other calls that failed. True: no descriptor was left, and a spare one is free now; try again.
[[nodiscard]] bool gave_up_descriptor(int error_number);

}  // namespace terminally
