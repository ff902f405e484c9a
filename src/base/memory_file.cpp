#include "base/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/error.hpp"

namespace terminally {

MemoryFile::MemoryFile(const std::filesystem::path& path, std::string_view content)
    : memory_(::memfd_create("terminally", MFD_CLOEXEC)) {
  if (!memory_) {
    throw io_error("cannot make a file in memory", errno);
  }
  const std::string target = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory_.get());
  while (!content.empty()) {
    const ssize_t written = ::write(memory_.get(), content.data(), content.size());
    if (written < 0) {
      throw io_error("cannot write to memory", errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  std::filesystem::path fresh = path;
  fresh += ".new";
  ::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) {
    throw io_error("cannot make " + fresh.string(), errno);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    throw io_error("cannot rename " + fresh.string(), errno);
  }
}

}  // namespace terminally
