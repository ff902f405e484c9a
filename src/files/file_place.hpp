#pragma once

#include <string>

#include "base/awaitable.hpp"
#include "files/file_requests.hpp"

namespace terminally {

/// Where files are: this machine, or another one that is reached by its own tools of the same names. All
/// functions throw Error, whose text is for the caller's reader.
class FilePlace {
 public:
  FilePlace() = default;
  FilePlace(const FilePlace&) = delete;
  FilePlace& operator=(const FilePlace&) = delete;
  virtual ~FilePlace() = default;

  /// Whether `path` is a directory that can be listed. `read` and `write` report other faults of the path.
  [[nodiscard]] virtual Awaitable<bool> is_directory(std::string path) = 0;
  [[nodiscard]] virtual Awaitable<FilePart> read(ReadFile request) = 0;
  [[nodiscard]] virtual Awaitable<WrittenFile> write(WriteFile request) = 0;
};

}  // namespace terminally
