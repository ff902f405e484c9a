#include "system/open_elsewhere.hpp"

#include <fcntl.h>

#include <csignal>

namespace terminally {

/// A write lease is given for a file that nobody else has open (fcntl(2)), and given back at once: who opens
/// it in between waits for that, and we are told by a signal that does nothing.
bool is_open_elsewhere(int fd) {
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0 || ::fcntl(fd, F_SETLEASE, F_WRLCK) != 0) {
    return true;
  }
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace terminally
