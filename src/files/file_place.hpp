#pragma once

#include <string>

#include "base/awaitable.hpp"
#include "files/file_requests.hpp"

namespace terminally {

/// Where files are: this machine, or another one behind its tools of the same names. All throw Error whose
/// text is for whoever asked.
class FilePlace {
 public:
  FilePlace() = default;
  FilePlace(const FilePlace&) = delete;
  FilePlace& operator=(const FilePlace&) = delete;
  virtual ~FilePlace() = default;

  /// Whether it is one that can be looked into; what else is wrong with a path, reading or writing it says.
  [[nodiscard]] virtual Awaitable<bool> is_directory(std::string path) = 0;
  [[nodiscard]] virtual Awaitable<FilePart> read(ReadFile request) = 0;
  [[nodiscard]] virtual Awaitable<WrittenFile> write(WriteFile request) = 0;
};

}  // namespace terminally
