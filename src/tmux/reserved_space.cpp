#include "tmux/reserved_space.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace terminally {

bool ReservedSpace::take() const noexcept {
  const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    return false;  // as a rule it is there
  }
  if (::posix_fallocate(file.get(), 0, kBytes) != 0) {
    ::unlink(file_.c_str());
    return false;
  }
  return true;
}

bool ReservedSpace::give_up() const noexcept {
  return ::unlink(file_.c_str()) == 0;
}

}  // namespace terminally
