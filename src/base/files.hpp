#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptors.hpp"

namespace terminally {

/// Makes `path` and the directories missing above it, `path` with mode 0700. Then verifies that `path` is a
/// real directory (no symlink), owned by us, not writable by others. A directory that was there keeps its
/// mode: it may be somebody's home, or /etc. Throws Error(io) that says what is wrong.
void make_private_directory(const std::filesystem::path& path);

/// Writes a whole file, mode 0600, in place of its old content. Throws Error(io).
void write_file(const std::filesystem::path& path, std::string_view content);

/// Whether a directory's file system has room for `bytes` and 64 KiB more. True where that cannot be known.
[[nodiscard]] bool has_room(const std::filesystem::path& directory, std::uint64_t bytes);

/// For a directory without room: makes the file in the directory `elsewhere`, under the same name, and
/// replaces `path` by a symbolic link to that file. Throws Error(io) that names both places.
void write_elsewhere(const std::filesystem::path& path, std::string_view content,
                     const std::filesystem::path& elsewhere);

/// As write_file, but a reader sees either the old file or the whole new one.
void replace_file(const std::filesystem::path& path, std::string_view content);

/// Appends to a file, with one write(2) as a rule; a new file has mode 0600. Throws Error(io).
void append_file(const std::filesystem::path& path, std::string_view content);

/// The whole file, or nullopt when it is not there, cannot be read, is no regular file or has more than 256
/// MiB. For small files: /proc and our own.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

/// The whole file; nullopt where there is none. Throws Error(io) where that is unknown, or it cannot be read.
[[nodiscard]] std::optional<std::string> read_if_there(const std::filesystem::path& path);

/// What is in a directory; nothing where there is none. Throws Error(io) where the directory cannot be read:
/// then nobody knows what is in it.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);

/// Whether something has this name. Throws Error(io) where that is unknown.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// Throws Error(io) that names `path` where the open file is not a regular one: a pipe would take what is
/// written and keep nothing.
void refuse_unless_regular(int fd, const std::filesystem::path& path);

/// Opens a file for reading; none, with errno, when it cannot be opened. Follows no symbolic link, and does
/// not wait for the other end of a named pipe that somebody has put in the file's place.
[[nodiscard]] UniqueFd open_to_read(const std::filesystem::path& path);

[[nodiscard]] std::filesystem::directory_iterator list_directory(const std::filesystem::path& path,
                                                                 std::error_code& error);

/// Whether nothing has this name any more, not even a dangling link.
[[nodiscard]] bool is_gone(const std::filesystem::path& path);

/// When the file was last written, in milliseconds since the epoch; 0 when it is not there.
[[nodiscard]] std::int64_t modified_ms(const std::filesystem::path& path);

/// Removes a file; one that is not there is fine.
void remove_file(const std::filesystem::path& path) noexcept;

/// Holds an exclusive lock on a file (flock) as long as the object lives. The lock is released explicitly,
/// not by closing: a child that is just being spawned still has a copy of the descriptor.
class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&& other) noexcept {
    release();
    fd_ = std::move(other.fd_);
    return *this;
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { release(); }

  /// Empty while another process holds it. Throws Error(io).
  [[nodiscard]] static FileLock try_lock(const std::filesystem::path& path);
  void release() noexcept;
  explicit operator bool() const { return static_cast<bool>(fd_); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Whether somebody removed the locked file: the next process makes another file, and locks that one.
  [[nodiscard]] bool is_unlinked() const;

 private:
  UniqueFd fd_;
};

/// As replace_file, but locks the new file before it gets its name: what the caller still appends by `fd()`
/// comes before what others append under the lock.
[[nodiscard]] FileLock replace_file_locked(const std::filesystem::path& path, std::string_view content);

/// `bytes` random bytes from the kernel, as lower-case hex.
[[nodiscard]] std::string random_hex(std::size_t bytes);

}  // namespace terminally
