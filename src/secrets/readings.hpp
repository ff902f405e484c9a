#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Another reading of a text, and where each byte of the reading stands in the text.
struct Reading {
  std::string text;
  std::vector<std::uint32_t> places;
};

/// More blanks and newlines in a row than this are no wrap of a line.
inline constexpr std::size_t kMostWrapBytes = 256;

/// Whether `c` counts as a letter of a value; false for bytes that may stand between any two letters.
[[nodiscard]] bool is_letter(char c);

/// The text without what wrapping, indenting and quoting add, drop or change: blanks, newlines, quotes,
/// backslashes and characters beyond ASCII.
[[nodiscard]] Reading bare(std::string_view text);

/// The runs of at least `least` hexadecimal digits, in lower case, a newline after each, without blanks,
/// newlines, colons, commas, single quotes and 0x between digits. `goes_on`: the last run counts in any
/// length.
[[nodiscard]] Reading hex_digits(std::string_view text, std::size_t least, bool goes_on = false);

}  // namespace terminally
