// Writes a file under a temporary name, and renames it into place under the directory's lock.
#include "files/file_write.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "files/file_uri.hpp"
#include "system/file_root.hpp"

namespace terminally {
namespace {

/// The name of a file's parts: short, however long the file's name is, and always the same for one name.
std::string part_name_of(const std::string& name) {
  return ".terminally-" + sha256_hex(name).substr(0, 16) + ".part";
}

Error wrong_write(const std::string& text) {
  return Error(ErrorCode::invalid_argument, text);
}

void write_at(const UniqueFd& fd, std::string_view content, std::uint64_t offset, const std::string& said) {
  while (!content.empty()) {
    const ssize_t written = ::pwrite(fd.get(), content.data(), content.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw file_error(said, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

bool all_zero(std::string_view content) {
  return !content.empty() && content.find_first_not_of('\0') == std::string_view::npos;
}

/// Writes `content` at the end of a file. Zeros become a hole: they are not written.
void append_at(const UniqueFd& fd, std::string_view content, std::uint64_t offset, const std::string& said) {
  if (all_zero(content)) {
    if (::ftruncate(fd.get(), static_cast<off_t>(offset + content.size())) != 0) {
      throw file_error(said, errno);
    }
    return;
  }
  write_at(fd, content, offset, said);
}

}  // namespace

FreshFile::~FreshFile() {
  if (fd_ && !keep_) {
    ::unlinkat(where_.directory.get(), name_.c_str(), 0);
  }
}

void FreshFile::write() {
  where_ = open_parent(place_, request_.create_parents);
  if (request_.piece) {
    write_part();
  } else {
    write_whole();
  }
}

/// None, with EEXIST, where the temporary name is taken.
UniqueFd FreshFile::make_file() {
  // A file that may be private is never readable by others. Another gets the mode that the umask leaves: only
  // the kernel can read the umask without changing it.
  const bool may_be_private = request_.piece || request_.mode || named_info(where_, where_.name);
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd made(::openat(where_.directory.get(), name_.c_str(), flags, may_be_private ? 0600 : 0666));
  if (!made && errno != EEXIST) {
    throw file_error(where_.said, errno);
  }
  return made;
}

void FreshFile::write_whole() {
  name_ = ".terminally-" + random_hex(8) + ".new";
  fd_ = make_file();
  if (!fd_) {
    throw file_error(where_.said, errno);
  }
  write_at(fd_, request_.content, 0, where_.said);
  make_durable();
}

/// None while another process writes the parts.
UniqueFd FreshFile::open_part() {
  constexpr int kMostTries = 100;
  for (int tries = 0; tries < kMostTries; ++tries) {
    UniqueFd part = open_named(where_, name_, O_RDWR).fd;
    if (!part) {
      part = make_file();
    }
    if (part && !try_lock_open_file(part)) {
      return {};
    }
    struct stat ours{};
    const std::optional<struct stat> named = named_info(where_, name_);
    if (part && named && ::fstat(part.get(), &ours) == 0 && ours.st_ino == named->st_ino) {
      if (ours.st_uid != ::geteuid() || ours.st_nlink != 1 || (ours.st_mode & 0077U) != 0) {
        throw Error(ErrorCode::io,
                    "path: \"" + where_.said + "\": its part " + name_ +
                        " belongs to another user, has other links or is open to others; remove it");
      }
      return part;  // else it was renamed, or removed, before we had the lock
    }
  }
  return {};
}

void FreshFile::write_part() {
  name_ = part_name_of(where_.name);
  keep_ = true;
  fd_ = open_part();
  if (!fd_) {
    throw Error(ErrorCode::busy,
                "path: \"" + where_.said + "\": another call is writing it in parts; try again");
  }
  struct stat info{};
  if (::fstat(fd_.get(), &info) != 0 ||
      (request_.piece == FilePiece::first && ::ftruncate(fd_.get(), 0) != 0)) {
    throw file_error(where_.said, errno);
  }
  const std::uint64_t have =
      request_.piece == FilePiece::first ? 0 : static_cast<std::uint64_t>(info.st_size);
  append_at(fd_, request_.content, have, where_.said);
  part_bytes_ = have + request_.content.size();
  if (request_.piece == FilePiece::last) {
    make_durable();
  }
}

std::string FreshFile::part_path() const {
  const std::size_t slash = place_.absolute.rfind('/');
  return file_uri(place_.absolute.substr(0, slash + 1) + name_);
}

void FreshFile::make_durable() const {
  if (::fsync(fd_.get()) != 0 && errno != EINVAL) {  // EINVAL: a file system without fsync
    throw file_error(where_.said, errno);
  }
}

FileScan FreshFile::scan() const {
  OpenFile file;
  file.fd.reset(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 3));
  if (!file.fd) {
    throw file_error(where_.said, errno);
  }
  return {std::move(file), where_.said};
}

bool FreshFile::try_lock() {
  if (!lock_) {
    lock_.reset(::openat(where_.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_) {
      throw file_error(where_.said, errno);
    }
  }
  return try_lock_open_file(lock_);
}

std::optional<FileScan> FreshFile::replaced() {
  old_ = named_info(where_, where_.name);
  if (request_.expected_sha256.empty() || request_.expected_sha256 == kAbsent || !old_) {
    return std::nullopt;
  }
  return FileScan(open_named(where_, where_.name, O_RDONLY), where_.said);
}

void FreshFile::compare(const std::string& there) const {
  const std::string& expected = request_.expected_sha256;
  if (expected.empty() || (old_ ? expected == there : expected == kAbsent)) {
    return;
  }
  const std::string is = !old_                 ? "does not exist"
                         : expected == kAbsent ? "exists already"
                                               : "has SHA-256 " + there + ", not " + expected;
  const bool same = old_ && !request_.piece && there == sha256_hex(request_.content);
  throw wrong_write("expected_sha256: \"" + where_.said + "\" " + is + "; nothing was written" +
                    (same   ? ". It already has the content of this call"
                     : old_ ? "; read it again"
                            : ""));
}

/// The mode of a new file by umask and directory: only the kernel reads the umask without changing it.
mode_t FreshFile::mode_of_new() const {
  const std::string name = ".terminally-" + random_hex(8) + ".new";
  const UniqueFd made(
      ::openat(where_.directory.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  struct stat info{};
  const bool known = made && ::fstat(made.get(), &info) == 0;
  if (made) {
    ::unlinkat(where_.directory.get(), name.c_str(), 0);
  }
  return known ? info.st_mode & 0777U : 0600U;
}

void FreshFile::put_in_place() {
  bool is_ours = true;
  if (old_ && (old_->st_uid != ::geteuid() || old_->st_gid != ::getegid())) {
    is_ours = ::fchown(fd_.get(), old_->st_uid, old_->st_gid) == 0;
  }
  if (request_.mode || old_ || request_.piece) {
    // As after write(2), setuid and setgid of the replaced file are dropped.
    const mode_t kept = old_ ? old_->st_mode & (is_ours ? 01777U : 0777U) : mode_of_new();
    if (::fchmod(fd_.get(), request_.mode.value_or(kept)) != 0) {
      throw file_error(where_.said, errno);
    }
  }
  const int in = where_.directory.get();
  // Where no file is expected, the kernel checks that as well, because other programs take no lock.
  const bool is_new = request_.expected_sha256 == kAbsent;
  int failed = ::renameat2(in, name_.c_str(), in, where_.name.c_str(), is_new ? RENAME_NOREPLACE : 0U);
  if (failed != 0 && errno == EINVAL && is_new) {
    failed = ::renameat(in, name_.c_str(), in, where_.name.c_str());  // without RENAME_NOREPLACE
  }
  if (failed != 0) {
    throw errno == EEXIST
        ? wrong_write("expected_sha256: \"" + where_.said + "\" exists already; nothing was written")
        : file_error(where_.said, errno);
  }
  keep_ = true;
  static_cast<void>(::fsync(lock_ ? lock_.get() : in));
  lock_.reset();
}

}  // namespace terminally
