#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptors.hpp"

namespace terminally {

/// The lines of a file from the last to the first, read in blocks on demand: the cost depends on the lines
/// taken, not on the file's length. Bytes appended meanwhile are not seen. A missing file has no lines; one
/// that is there and cannot be read throws Error(io), here or by `next`.
class BackwardLines {
 public:
  explicit BackwardLines(const std::filesystem::path& path);

  /// Without its newline; valid until the next call. nullopt before the first line. Empty lines are skipped.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  bool read_block();

  std::filesystem::path path_;
  UniqueFd fd_;
  std::uint64_t unread_ = 0;  ///< bytes of the file before `held_`
  std::string held_;          ///< its first `end_` bytes were read and not handed out yet
  std::size_t end_ = 0;
};

}  // namespace terminally
