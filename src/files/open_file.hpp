#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "files/file_roots.hpp"

namespace terminally {

/// An open regular file, and its stat(2) at the opening.
struct OpenFile {
  UniqueFd fd;
  struct stat info{};
};

// These functions throw Error that begins with "path: " and says what is wrong with the path. None waits for
// a FIFO's other end or for a device.

[[nodiscard]] OpenFile open_file_to_read(const FilePlaceInRoot& place);
[[nodiscard]] UniqueFd open_directory(const FilePlaceInRoot& place);

/// The file's name in its directory, whichever path leads to that: by a link, by "..", by a mount. Empty
/// where the directory cannot be reached.
[[nodiscard]] std::string name_by_every_path(const FilePlaceInRoot& place);

/// An open directory, and the name in it that a file is to get.
struct NameInDirectory {
  UniqueFd directory;
  std::string name;
  std::string said;
};
[[nodiscard]] NameInDirectory open_parent(const FilePlaceInRoot& place, bool create);

/// The file that has the name now, if there is one. Throws where it is no regular file; no link is followed.
[[nodiscard]] std::optional<struct stat> named_info(const NameInDirectory& where, const std::string& name);

/// As named_info, and opens the file; `fd` is none where no file has the name.
[[nodiscard]] OpenFile open_named(const NameInDirectory& where, const std::string& name, int flags);

/// The file that has the name and is to be replaced, open for reading, or for writing where it cannot be
/// read; `fd` is none where no file has the name. Throws what the shell's `>` would be refused. A program
/// that runs may be replaced: `mv` may do that.
[[nodiscard]] OpenFile open_to_replace(const NameInDirectory& where);

[[nodiscard]] struct stat info_of(const UniqueFd& fd, const std::string& said);

/// The Error for a failed system call with a path.
[[nodiscard]] Error file_error(const std::string& said, int error_number);
/// As file_error, for a file or directory that is known; names the mode and owner that the refusal comes of.
[[nodiscard]] Error access_refused(const std::string& said, int error_number, const struct stat& info);
/// The Error for a file that could not be made in the directory.
[[nodiscard]] Error cannot_make(const NameInDirectory& where, int error_number);

}  // namespace terminally
