#include "tmux/wire/quoting.hpp"

#include <algorithm>

#include "base/characters.hpp"

namespace terminally {

std::string quote(std::string_view text) {
  constexpr std::string_view kSpecial = "\"\\$~";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && !is_one_of(c, kSpecial)) {
      quoted += c;
    } else {
      quoted += {'\\', static_cast<char>('0' + (byte >> 6U)), static_cast<char>('0' + (byte >> 3U & 7U)),
                 static_cast<char>('0' + (byte & 7U))};
    }
  }
  return quoted + "\"";
}

std::string quote_all(const std::vector<std::string>& words) {
  std::string quoted;
  for (const std::string& word : words) {
    quoted += (quoted.empty() ? "" : " ") + quote(word);
  }
  return quoted;
}

std::string format_literal(std::string_view text) {
  std::string literal;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('#', i), text.size());
    const bool style =
        end < text.size() && text[end] == '[';  // tmux leaves "#[" and "##[" as they are, for its status line
    literal.append((end - i) * (style ? 1 : 2), '#');
    if (end < text.size()) {
      literal += text[end];
    }
    i = end + 1;
  }
  return literal;
}

}  // namespace terminally
