#pragma once

#include <cstddef>
#include <string_view>

namespace terminally {

/// The key at the start of the bytes that a terminal sends.
struct TypedKey {
  std::size_t bytes = 0;  ///< 0: the key is not whole yet
  bool answer = false;    ///< no key, but the terminal's own answer to a program's query
};

/// The first key of `typed`, which must not be empty: a character, the sequence of an arrow or F key, or a
/// whole paste (bracketed). A lone Escape is the Escape key: sequences come in one piece.
[[nodiscard]] TypedKey first_key(std::string_view typed);

/// How many bytes of `typed` a program that reads by the line takes at once: up to the end of a line (CR, LF,
/// C-d), or all of them, but at most kLongestTypedLine.
[[nodiscard]] std::size_t first_line(std::string_view typed);

}  // namespace terminally
