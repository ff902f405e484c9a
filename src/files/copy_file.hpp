#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/awaitable.hpp"
#include "files/file_place.hpp"

namespace terminally {

struct CopyFile {
  FilePlace& from;
  std::string from_path;
  FilePlace& to;
  std::string to_path;  ///< of a file, or of a directory that it goes into by its own name
  std::function<void(std::uint64_t done, std::uint64_t size)> on_progress;  ///< may be empty
};

struct CopiedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t resumed_at = 0;  ///< so much was there from an earlier try
};

/// Copies in parts, which stay at the destination where it is cut short: the next copy goes on from there.
/// Only what has the same hash as the source takes the place of what is there, at once and as a whole. Parts
/// of something else are found out in the end, and all is copied anew. Throws Error.
[[nodiscard]] Awaitable<CopiedFile> copy_file(CopyFile copy);

}  // namespace terminally
