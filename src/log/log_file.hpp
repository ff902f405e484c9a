#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/descriptors.hpp"

namespace terminally {

// The files of a log, as its readers open them while it is written. A failing system call is an Error (io).

/// Opens a file; none where it is not there. `size_bytes`: its size after the opening.
[[nodiscard]] UniqueFd open_log_file(const std::filesystem::path& path, std::uint64_t* size_bytes = nullptr);

/// Reads `count` bytes; fewer only at the end of the file, and none without a file. `path`: for the error.
[[nodiscard]] std::size_t read_at(const UniqueFd& file, const std::filesystem::path& path,
                                  std::uint64_t position, char* to, std::size_t count);

/// The sidecar of a log, open, with what it held when it was opened.
class SidecarFile {
 public:
  explicit SidecarFile(const std::filesystem::path& log_path);

  [[nodiscard]] const std::string& records() const { return records_; }
  /// Whether the file was not replaced, and no record was written, since it was read.
  [[nodiscard]] bool unchanged() const;

 private:
  std::filesystem::path path_;
  UniqueFd file_;
  std::string records_;
};

}  // namespace terminally
