#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "files/file_roots.hpp"

namespace terminally {

/// A regular file that is open, as it was in that moment.
struct OpenFile {
  UniqueFd fd;
  struct stat info{};
};

// All throw Error that begins with "path: " and says what is wrong with it. Nothing waits: no FIFO's other
// end, no device.

[[nodiscard]] OpenFile open_file_to_read(const FilePlaceInRoot& place);
[[nodiscard]] UniqueFd open_directory(const FilePlaceInRoot& place);

/// A directory, and a name in it: where a file is to be put.
struct NameInDirectory {
  UniqueFd directory;
  std::string name;
  std::string said;
};
[[nodiscard]] NameInDirectory open_parent(const FilePlaceInRoot& place, bool create);

/// What has the name now, if anything has. Throws where that is no regular file: a link is not followed.
[[nodiscard]] std::optional<struct stat> named_info(const NameInDirectory& where, const std::string& name);

/// As named_info, opened; `fd` is none where there is none.
[[nodiscard]] OpenFile open_named(const NameInDirectory& where, const std::string& name, int flags);

/// What a failed system call with a path means.
[[nodiscard]] Error file_error(const std::string& said, int error_number);

}  // namespace terminally
