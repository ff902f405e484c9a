#include "base/reserved_space.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>

#include "base/unique_fd.hpp"

namespace terminally {

namespace {

/// It may need a page for its exit code yet.
bool some_command_runs(const std::filesystem::path& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".exit") {
      return true;
    }
  }
  return false;
}

}  // namespace

bool ReservedSpace::take() const noexcept {
  const std::filesystem::path directory = file_.parent_path();
  if (::access(file_.c_str(), F_OK) == 0 || ::access((directory / "lock").c_str(), F_OK) != 0 ||
      some_command_runs(directory)) {
    return false;
  }
  const UniqueFd file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    return false;
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

bool ReservedSpace::is_needed() const noexcept {
  struct statvfs status{};
  return ::statvfs(file_.parent_path().c_str(), &status) == 0 &&
         std::uint64_t{status.f_bavail} * status.f_frsize < std::uint64_t{kBytes};
}

}  // namespace terminally
