// Opens files and directories below a root, and words the errors of system calls with paths.
#include "files/open_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/file_requests.hpp"

namespace terminally {
namespace {

Error refused(const std::string& said, const std::string& why) {
  return Error(ErrorCode::invalid_argument, "path: \"" + said + "\" " + why);
}

void refuse_unless_file(const struct stat& info, const std::string& said) {
  if (S_ISREG(info.st_mode)) {
    return;
  }
  const std::string type(file_type(info));
  const std::string hint = type == "directory" ? "; give a file in it (list_files names them)" : "";
  throw refused(said, "is a " + type + ", not a regular file" +
                          (type == "symlink" ? "; give the path that it leads to" : hint));
}

/// For a path with "/" at its end that leads to a file, or to nothing.
Error names_directory(const std::string& said) {
  return refused(said, "ends as a directory's path does, and there is no such directory; give a file's path");
}

/// Of a path that was not opened. That its root is not there is said of the root.
Error not_opened(const FilePlaceInRoot& place, int error_number) {
  if (error_number == ENOENT && !place.root.open("", O_PATH | O_DIRECTORY)) {
    const std::string root =
        without_empty_parts(place.absolute.substr(0, place.absolute.size() - place.path.size()));
    return Error(ErrorCode::not_found,
                 "path: \"" + place.said + "\": its root \"" + root +
                     "\" is not there: make it, or start the server with another --file-root (for a host: "
                     "\"file_roots\" in hosts.json)");
  }
  return file_error(place.said, error_number);
}

/// Opens a file from its O_PATH descriptor if it is a regular one: opening a device may have an effect.
OpenFile open_regular(const UniqueFd& place, const std::string& said, int flags) {
  OpenFile file;
  file.info = info_of(place, said);
  refuse_unless_file(file.info, said);
  file.fd = reopen(place, flags);
  if (!file.fd) {
    throw access_refused(said, errno, file.info);
  }
  return file;
}

/// A name that was made is lost with the power until its directory is synced, which needs it to be readable.
void sync_names(const UniqueFd& directory) {
  const UniqueFd readable = reopen(directory, O_RDONLY | O_DIRECTORY);
  static_cast<void>(!readable || ::fsync(readable.get()) < 0);
}

/// Makes the directories of a path, each in an open directory that was found below the root.
UniqueFd make_directories(const FilePlaceInRoot& place, const std::string& path) {
  UniqueFd at = place.root.open("", O_PATH | O_DIRECTORY);
  for (std::size_t end = 0; at && end < path.size();) {
    const std::size_t begin = path.find_first_not_of('/', end);
    end = std::min(path.find('/', begin), path.size());
    UniqueFd next = place.root.open(path.substr(0, end), O_PATH | O_DIRECTORY);
    if (!next && errno == ENOENT) {
      const std::string name = path.substr(begin, end - begin);
      if (::mkdirat(at.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
        throw access_refused(place.said, errno, info_of(at, place.said));
      }
      sync_names(at);
      next = place.root.open(path.substr(0, end), O_PATH | O_DIRECTORY);
    }
    at = std::move(next);
  }
  return at;
}

/// "" is the root.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string name_in(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// What to do about an error, where its reason alone says too little.
std::string advice_on(int error_number) {
  switch (error_number) {
    case EACCES:
      return "; a directory on the way, or the file, is not open to the server's account";
    case EPERM:
      return "; it may be immutable or append-only (lsattr), or in a sticky directory";
    case EROFS:
      return "; nothing can be written there";
    case ENOSPC:
    case EDQUOT:
      return "; nothing of this call was kept: make room, and send it again";
    case ENOTDIR:
      return "; a part of the path is a file";
    case EBUSY:
    case ETXTBSY:
      return "; it is in use: end what uses it, or give another path";
    default:
      return "";
  }
}

}  // namespace

struct stat info_of(const UniqueFd& fd, const std::string& said) {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) {
    throw file_error(said, errno);
  }
  return info;
}

Error access_refused(const std::string& said, int error_number, const struct stat& info) {
  Error plain = file_error(said, error_number);
  if (error_number != EACCES && error_number != EPERM) {
    return plain;
  }
  return Error(ErrorCode::io,
               "path: \"" + said + "\": " + system_reason(error_number) + ": the mode of this " +
                   std::string(file_type(info)) + " is " + octal_mode(info.st_mode & 07777U) +
                   ", its owner is uid " + std::to_string(info.st_uid) + ", its group is gid " +
                   std::to_string(info.st_gid) + (error_number == EPERM ? advice_on(EPERM) : ""));
}

Error cannot_make(const NameInDirectory& where, int error_number) {
  return access_refused(where.said, error_number, info_of(where.directory, where.said));
}

Error file_error(const std::string& said, int error_number) {
  switch (error_number) {
    case ENOENT:
      return Error(ErrorCode::not_found, "path: \"" + said + "\" is not there");
    case EXDEV:
      return refused(said,
                     "leads out of its directory, by \"..\" or by a symbolic link; a link is followed where "
                     "it is relative "
                     "and stays within");
    case ELOOP:
      return refused(said, "contains a symbolic link that is not followed; give its target");
    case ENOSYS:
      return Error(
          ErrorCode::io,
          "path: this system cannot confine access to a directory (needs openat2, Linux 5.6 or newer)");
    default:
      return Error(ErrorCode::io,
                   "path: \"" + said + "\": " + system_reason(error_number) + advice_on(error_number));
  }
}

OpenFile open_file_to_read(const FilePlaceInRoot& place) {
  const UniqueFd found = place.root.open(place.path, O_PATH);
  if (!found) {
    throw not_opened(place, errno);
  }
  OpenFile file = open_regular(found, place.said, O_RDONLY);
  if (place.is_directory) {
    throw names_directory(place.said);
  }
  return file;
}

UniqueFd open_directory(const FilePlaceInRoot& place) {
  UniqueFd directory = place.root.open(place.path, O_RDONLY | O_DIRECTORY);
  if (!directory) {
    throw errno == ENOTDIR
        ? refused(place.said, "is no directory, or a part of it is a file; read_file reads files")
        : not_opened(place, errno);
  }
  return directory;
}

std::string name_by_every_path(const FilePlaceInRoot& place) {
  const UniqueFd parent = place.root.open(parent_of(place.path), O_PATH | O_DIRECTORY);
  struct stat info{};
  if (!parent || ::fstat(parent.get(), &info) != 0) {
    return "";
  }
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) + "/" + name_in(place.path);
}

NameInDirectory open_parent(const FilePlaceInRoot& place, bool create) {
  const std::string parent = parent_of(place.path);
  NameInDirectory where;
  where.name = name_in(place.path);
  where.said = place.said;
  if (where.name.empty() || where.name == "..") {
    throw refused(place.said, "is a directory; give a file's path");
  }
  if (place.is_directory) {
    if (const UniqueFd found = place.root.open(place.path, O_PATH)) {
      refuse_unless_file(info_of(found, place.said), place.said);
    }
    throw names_directory(place.said);
  }
  where.directory = place.root.open(parent, O_RDONLY | O_DIRECTORY);
  if (!where.directory && errno == ENOENT && create) {
    static_cast<void>(make_directories(place, parent));
    where.directory = place.root.open(parent, O_RDONLY | O_DIRECTORY);
  }
  if (!where.directory) {
    if (errno == ENOENT && place.root.open("", O_PATH | O_DIRECTORY)) {
      throw Error(ErrorCode::not_found,
                  "path: the directory of \"" + place.said +
                      (create ? "\" is not there and cannot be made: a symbolic link on the way leads to "
                                "nothing; make its target, or give another path"
                              : "\" is not there: make it first (write_file: create_parents)"));
    }
    throw not_opened(place, errno);
  }
  return where;
}

std::optional<struct stat> named_info(const NameInDirectory& where, const std::string& name) {
  struct stat info{};
  if (::fstatat(where.directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    throw file_error(where.said, errno);
  }
  refuse_unless_file(info, where.said);
  return info;
}

OpenFile open_named(const NameInDirectory& where, const std::string& name, int flags) {
  const UniqueFd found(::openat(where.directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (found) {
    return open_regular(found, where.said, flags);
  }
  if (errno != ENOENT) {
    throw file_error(where.said, errno);
  }
  return {};
}

OpenFile open_to_replace(const NameInDirectory& where) {
  const UniqueFd found(::openat(where.directory.get(), where.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!found && errno != ENOENT) {
    throw file_error(where.said, errno);
  }
  if (!found) {
    return {};
  }
  OpenFile file;
  file.info = info_of(found, where.said);
  refuse_unless_file(file.info, where.said);
  UniqueFd writable = reopen(found, O_WRONLY);
  if (!writable && errno != ETXTBSY) {
    throw access_refused(where.said, errno, file.info);
  }
  // While a file is open for writing nobody can run it, so it is kept open for reading.
  file.fd = reopen(found, O_RDONLY);
  if (!file.fd) {
    file.fd = std::move(writable);
  }
  return file;
}

}  // namespace terminally
