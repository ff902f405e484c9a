#pragma once

#include <filesystem>
#include <string_view>

#include "base/unique_fd.hpp"

namespace terminally {

/// A file that needs no space on any disk: a symbolic link to memory of this process. Other processes of the
/// same user read and write it by its path as long as this object lives; then the link leads nowhere.
class MemoryFile {
 public:
  /// Puts it in the place of what has this path. Throws Error(io).
  MemoryFile(const std::filesystem::path& path, std::string_view content);

 private:
  UniqueFd memory_;
};

}  // namespace terminally
