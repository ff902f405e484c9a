#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "files/file_place.hpp"

namespace terminally {

struct CopyFile {
  FilePlace& from;
  std::string from_path;
  FilePlace& to;
  std::string to_path;  ///< a file, or a directory that gets the file under its own name
  std::function<void(std::uint64_t done, std::uint64_t size)> on_progress;  ///< may be empty
  unsigned umask = 0;                                                       ///< what a new file's mode lacks
};

/// Of this process. A host's is not known here.
[[nodiscard]] unsigned current_umask();

struct CopiedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t resumed_at = 0;    ///< how many bytes were there from an earlier try
  std::vector<std::string> notes;  ///< of WrittenFile
};

/// Copies a file in parts. The parts of a copy that is cut short stay at the destination, and the next copy
/// goes on from there. The whole file replaces the destination atomically, and only if it has the source's
/// hash; where the parts were of another file, all is copied anew. The copy has the source's mode, but for
/// `umask`; where it replaces a file, without the rights to read and write that this file gave to nobody.
/// Throws Error.
[[nodiscard]] Awaitable<CopiedFile> copy_file(CopyFile copy);

}  // namespace terminally
