// The queue for the turn in a tab among all processes: locks on the bytes of a file.
#include "tab/tab_queue.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/error.hpp"

namespace terminally {
namespace {

struct flock bytes(short kind, off_t begin, off_t size) {
  struct flock range{};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = size;
  return range;
}

/// By another open file than this one. `size` 0: to the end of all bytes.
bool is_locked(int fd, off_t begin, off_t size) {
  struct flock range = bytes(F_WRLCK, begin, size);
  return ::fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/// Takes the next number. For whoever holds the flock of the file. -1: see errno.
off_t take_number(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    return -1;
  }
  struct flock own = bytes(F_WRLCK, info.st_size, 1);
  const bool has_it = ::fcntl(fd, F_OFD_SETLK, &own) == 0 && ::ftruncate(fd, info.st_size + 1) == 0;
  return has_it ? info.st_size : -1;
}

}  // namespace

std::shared_ptr<const UniqueFd> TabQueue::open_file() {
  struct stat info{};
  std::shared_ptr<const UniqueFd> file = file_.lock();
  if (!file || ::fstat(file->get(), &info) != 0 || info.st_nlink == 0) {  // somebody removed it
    file = std::make_shared<const UniqueFd>(
        ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    file_ = file;
  }
  if (!*file) {
    throw io_error("cannot open the queue " + path_.string(), errno);
  }
  return file;
}

std::optional<TabQueue::Place> TabQueue::join() {
  std::shared_ptr<const UniqueFd> file = open_file();
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    return std::nullopt;
  }
  const off_t number = take_number(file->get());
  const int why = errno;
  ::flock(file->get(), LOCK_UN);
  if (number < 0) {
    throw io_error("cannot join the queue " + path_.string(), why);
  }
  return Place(std::move(file), number);
}

bool TabQueue::is_taken(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return fd && is_locked(fd.get(), 0, 0);
}

TabQueue::Place& TabQueue::Place::operator=(Place&& other) noexcept {
  leave();
  file_ = std::move(other.file_);
  number_ = other.number_;
  return *this;
}

bool TabQueue::Place::is_first() const {
  return !file_ || number_ == 0 || !is_locked(file_->get(), 0, number_);
}

void TabQueue::Place::leave() noexcept {
  if (!file_) {
    return;
  }
  const bool others_wait = is_locked(file_->get(), number_ + 1, 0);
  struct flock own = bytes(F_UNLCK, number_, 1);
  ::fcntl(file_->get(), F_OFD_SETLK, &own);
  if (others_wait) {
    ::futimens(file_->get(), nullptr);
  }
  file_.reset();
}

}  // namespace terminally
