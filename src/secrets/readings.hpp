#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Another way to read a text, and where each of its bytes stands in that text.
struct Reading {
  std::string text;
  std::vector<std::uint32_t> places;
};

/// More blanks and newlines in a row than these are no wrap of a line.
inline constexpr std::size_t kMostWrapBytes = 256;

/// Counts as a letter of a value: false for what may stand between any two.
[[nodiscard]] bool is_letter(char c);

/// Without what those add, drop or change who wrap lines, indent and quote: blanks, newlines, quotes,
/// backslashes and characters beyond ASCII.
[[nodiscard]] Reading bare(std::string_view text);

/// The runs of at least `least` hexadecimal digits, in lower case, a newline after each: without the blanks,
/// newlines, colons, commas and 0x between the digits. The last run counts in any length when it may go on.
[[nodiscard]] Reading hex_digits(std::string_view text, std::size_t least, bool goes_on = false);

}  // namespace terminally
