#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace terminally {

/// The lines of a file from its last to its first, read in blocks as they are asked for: the end of a long
/// file costs as much as the lines that are taken. What is appended meanwhile is not seen. A file that is not
/// there has no lines.
class BackwardLines {
 public:
  explicit BackwardLines(const std::filesystem::path& path);

  /// Without its newline; valid until the next call. nullopt before the first line. Empty lines are skipped.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  bool read_block();

  UniqueFd fd_;
  std::uint64_t unread_ = 0;  ///< bytes of the file before `held_`
  std::string held_;          ///< what was read and not handed out yet is its first `end_` bytes
  std::size_t end_ = 0;
};

}  // namespace terminally
