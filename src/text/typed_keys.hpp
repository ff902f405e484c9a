#pragma once

#include <cstddef>
#include <string_view>

namespace terminally {

/// What stands at the start of bytes that a terminal sends for what its person does.
struct TypedKey {
  std::size_t bytes = 0;  ///< 0: it is not whole yet
  bool answer = false;    ///< no key: what the terminal itself answers to a program's question
};

/// The first key of `typed`, which must not be empty: a character, the sequence of an arrow or F key,
/// or a whole paste (bracketed). An Escape with nothing behind it is the Escape key: sequences come in one
/// piece.
[[nodiscard]] TypedKey first_key(std::string_view typed);

/// The first of `typed` that whoever reads by the line takes at once: up to the end of a line (CR, LF, C-d),
/// or all of it, but at most what a terminal keeps of a line.
[[nodiscard]] std::size_t first_line(std::string_view typed);

}  // namespace terminally
