#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace terminally {

[[nodiscard]] constexpr bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

[[nodiscard]] constexpr bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Without the blanks, tabs and carriage returns at its ends.
[[nodiscard]] inline std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace terminally
