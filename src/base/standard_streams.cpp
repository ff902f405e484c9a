// Opens /dev/null in the place of each standard stream that was closed at the start.
#include "base/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace terminally {

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

}  // namespace terminally
