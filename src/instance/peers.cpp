// The processes that work on an instance, each known by a file that it holds locked.
#include "instance/peers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/descriptors.hpp"

namespace terminally {
namespace {

constexpr int kTries = 50;
constexpr useconds_t kBetweenTriesUs = 200;

struct PeerFile {
  std::filesystem::path path;
  int pid = 0;
};

std::vector<PeerFile> peer_files(const std::filesystem::path& directory) {
  std::vector<PeerFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int pid = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed == std::errc() && rest == name.data() + name.size() && pid > 0) {
      files.push_back({entry->path(), pid});
    }
  }
  return files;
}

/// Where no process holds it, it is ours as long as the result is open.
UniqueFd hold_if_free(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info{};
  const bool held = file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(file.get(), &info) == 0 &&
                    info.st_nlink > 0;  // else another took it away, and the name may be a new one's
  if (!held) {
    file.reset();
  }
  return file;
}

}  // namespace

FileLock Peers::join() const {
  make_private_directory(directory_);
  const std::filesystem::path path = directory_ / std::to_string(::getpid());
  FileLock joined = FileLock::try_lock(path);
  // It was of a process of this pid that died, and has just been taken away; or others() looks at it just
  // now.
  for (int tries = 0; tries < kTries && (!joined || joined.is_unlinked()); ++tries) {
    ::usleep(kBetweenTriesUs);
    joined = FileLock::try_lock(path);
  }
  write_file(news(), std::to_string(::getpid()));
  return joined;
}

void Peers::leave(FileLock joined) const noexcept {
  if (joined) {
    remove_file(directory_ / std::to_string(::getpid()));
  }
}

std::vector<int> Peers::others() const {
  std::vector<int> pids;
  for (const PeerFile& file : peer_files(directory_)) {
    if (file.pid == ::getpid()) {
      continue;
    }
    if (const UniqueFd held = hold_if_free(file.path)) {
      remove_file(file.path);
    } else if (!is_gone(file.path)) {
      pids.push_back(file.pid);
    }
  }
  return pids;
}

void Peers::remove_directory() const noexcept {
  for (const PeerFile& file : peer_files(directory_)) {
    remove_file(file.path);
  }
  remove_file(news());
  std::error_code ignored;
  std::filesystem::remove(directory_, ignored);
}

}  // namespace terminally
