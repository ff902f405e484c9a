// The lock of who starts the tmux server of an instance, and of who opens tabs there.
#include "instance/starting_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

std::filesystem::path path_of(const Instance& instance) {
  return instance.runtime() / "starting.lock";
}

}  // namespace

StartingLock& StartingLock::operator=(StartingLock&& other) noexcept {
  release();
  file_ = std::move(other.file_);
  return *this;
}

std::optional<StartingLock> StartingLock::try_alone(const Instance& instance) {
  return try_as(instance, LOCK_EX);
}

std::optional<StartingLock> StartingLock::try_shared(const Instance& instance) {
  return try_as(instance, LOCK_SH);
}

int StartingLock::holder(const Instance& instance) {
  return lock_holder(path_of(instance));
}

std::optional<StartingLock> StartingLock::try_as(const Instance& instance, int kind) {
  const std::filesystem::path path = path_of(instance);
  StartingLock lock;
  lock.file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock.file_) {
    throw io_error("cannot open the lock " + path.string(), errno);
  }
  struct stat info{};
  const bool has_it = ::flock(lock.file_.get(), kind | LOCK_NB) == 0 &&
                      ::fstat(lock.file_.get(), &info) == 0 && info.st_nlink > 0;  // else it was removed
  return has_it ? std::optional(std::move(lock)) : std::nullopt;
}

/// Not by closing alone: a child that is just being spawned still has a copy of the descriptor.
void StartingLock::release() noexcept {
  if (file_) {
    ::flock(file_.get(), LOCK_UN);
    file_.reset();
  }
}

}  // namespace terminally
