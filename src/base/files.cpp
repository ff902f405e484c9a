// Reads, writes, replaces and locks small files, and makes private directories.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/descriptors.hpp"
#include "base/error.hpp"

namespace terminally {
namespace {

/// O_NONBLOCK: not to wait for the other end of a named pipe that somebody has put in the file's place.
constexpr int kCommonFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
/// No file that we read whole is nearly as large.
constexpr std::size_t kMostRead = 256UL * 1024 * 1024;
/// Bytes that stay free for programs that write into such a file later.
constexpr std::uint64_t kMargin = 64UL * 1024;

bool is_regular(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw io_error("cannot write " + path.string(), errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_with(const std::filesystem::path& path, std::string_view content, int flags) {
  const UniqueFd fd(::open(path.c_str(), flags | O_WRONLY | O_CREAT | kCommonFlags, 0600));
  if (!fd) {
    throw io_error("cannot open " + path.string() + " for writing", errno);
  }
  write_all(fd.get(), content, path);
}

/// Writes a new file and renames it over the old one. `locked`: locks the new file before the rename.
FileLock replace(const std::filesystem::path& path, std::string_view content, bool locked) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  try {
    write_file(fresh, content);
    FileLock lock = locked ? FileLock::try_lock(fresh) : FileLock();
    if (::rename(fresh.c_str(), path.c_str()) != 0) {
      throw io_error("cannot rename " + fresh.string(), errno);
    }
    return lock;
  } catch (const Error&) {
    remove_file(fresh);  // on a full disk a part of it
    throw;
  }
}

Error cannot_make(const std::filesystem::path& directory, int error) {
  return Error(ErrorCode::io, "cannot make the directory " + directory.string() + ": " +
                                  std::strerror(error) + "; make it, or choose another place");
}

}  // namespace

void make_private_directory(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno == ENOENT && path.has_parent_path() && path.parent_path() != path) {
      std::error_code error;
      std::filesystem::create_directories(path.parent_path(), error);
      if (error) {
        throw cannot_make(path.parent_path(), error.value());
      }
      if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        throw cannot_make(path, errno);
      }
    } else if (errno != EEXIST) {
      throw cannot_make(path, errno);
    }
  }
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    throw io_error("cannot look at " + path.string(), errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    throw Error(ErrorCode::io,
                path.string() +
                    " is not a directory (symbolic links are refused); remove it or choose another place");
  }
  if (info.st_uid != ::geteuid()) {
    throw Error(ErrorCode::io, path.string() + " belongs to uid " + std::to_string(info.st_uid) +
                                   ", not to us; choose another place");
  }
  if ((info.st_mode & 022) != 0) {
    throw Error(
        ErrorCode::io,
        path.string() + " can be written by others; make it private (chmod 700), or choose another place");
  }
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  write_with(path, content, O_TRUNC);
}

/// A tmpfs without a limit reports 0 blocks.
bool has_room(const std::filesystem::path& directory, std::uint64_t bytes) {
  struct statvfs status{};
  return ::statvfs(directory.c_str(), &status) != 0 || status.f_blocks == 0 ||
         std::uint64_t{status.f_bavail} * status.f_frsize >= bytes + kMargin;
}

void write_elsewhere(const std::filesystem::path& path, std::string_view content,
                     const std::filesystem::path& elsewhere) {
  const std::filesystem::path target = elsewhere / path.filename();
  try {
    make_private_directory(elsewhere);
    write_file(target, content);
  } catch (const Error& error) {
    remove_file(target);  // on a full disk a part of it
    throw Error(ErrorCode::io,
                "there is no space in " + path.parent_path().string() + ", and " + error.what());
  }
  remove_file(path);
  if (::symlink(target.c_str(), path.c_str()) != 0) {
    throw io_error("cannot make " + path.string(), errno);
  }
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  static_cast<void>(replace(path, content, false));
}

void append_file(const std::filesystem::path& path, std::string_view content) {
  write_with(path, content, O_APPEND);
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  const UniqueFd fd(open_or_use_spare(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd || !is_regular(fd.get())) {
    return std::nullopt;
  }
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 || content.size() > kMostRead) {
      return std::nullopt;
    }
    if (got == 0) {
      return content;
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

std::optional<std::string> read_if_there(const std::filesystem::path& path) {
  std::optional<std::string> content = is_there(path) ? read_file(path) : std::nullopt;
  if (!content && is_there(path)) {
    throw Error(ErrorCode::io, path.string() + " is there and cannot be read");
  }
  return content;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator entry = list_directory(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error && is_there(directory)) {
    throw io_error("cannot read the directory " + directory.string(), error.value());
  }
  return entries;
}

bool is_there(const std::filesystem::path& path) {
  struct stat info{};
  const bool found = ::lstat(path.c_str(), &info) == 0;
  if (!found && errno != ENOENT && errno != ENOTDIR) {
    throw io_error("cannot look at " + path.string(), errno);
  }
  return found;
}

void refuse_unless_regular(int fd, const std::filesystem::path& path) {
  if (!is_regular(fd)) {
    throw Error(ErrorCode::io, path.string() + " is no regular file; remove it");
  }
}

UniqueFd open_to_read(const std::filesystem::path& path) {
  return UniqueFd(open_or_use_spare(path.c_str(), O_RDONLY | kCommonFlags));
}

std::filesystem::directory_iterator list_directory(const std::filesystem::path& path,
                                                   std::error_code& error) {
  std::filesystem::directory_iterator entries(path, error);
  if (gave_up_descriptor(error.value())) {
    entries = std::filesystem::directory_iterator(path, error);
  }
  return entries;
}

bool is_gone(const std::filesystem::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) != 0 && errno == ENOENT;
}

std::int64_t modified_ms(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return 0;
  }
  return std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000;
}

void remove_file(const std::filesystem::path& path) noexcept {
  ::unlink(path.c_str());
}

FileLock FileLock::try_lock(const std::filesystem::path& path) {
  FileLock lock;
  lock.fd_.reset(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | kCommonFlags, 0600));
  if (!lock.fd_) {
    throw io_error("cannot open the lock " + path.string(), errno);
  }
  if (::flock(lock.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      throw io_error("cannot lock " + path.string(), errno);
    }
    lock.fd_.reset();
  }
  return lock;
}

bool FileLock::is_unlinked() const {
  struct stat info{};
  return fd_ && ::fstat(fd_.get(), &info) == 0 && info.st_nlink == 0;
}

void FileLock::release() noexcept {
  if (fd_) {
    ::flock(fd_.get(), LOCK_UN);
    fd_.reset();
  }
}

FileLock replace_file_locked(const std::filesystem::path& path, std::string_view content) {
  return replace(path, content, true);
}

std::string random_hex(std::size_t bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string random(bytes, '\0');
  while (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
  }
  std::string hex;
  hex.reserve(bytes * 2);
  for (const char c : random) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

}  // namespace terminally
