#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// A text with every escape in it replaced by what it stands for: %2F, \u002f, \x2f, \057, \n, a backslash
/// before any other character, and '\'' of a shell. Whoever wrote it may have escaped any character.
struct Unescaped {
  std::string text;
  std::vector<std::size_t> places;  ///< where each byte of `text` begins in the original; one more: its size
};
[[nodiscard]] Unescaped unescaped(std::string_view text);

[[nodiscard]] inline bool has_escapes(std::string_view text) {
  return text.find_first_of("%\\") != std::string_view::npos;
}

/// How many of the last bytes may be an escape that is not whole: 0 to 5.
[[nodiscard]] std::size_t unfinished_escape(std::string_view text);

}  // namespace terminally
