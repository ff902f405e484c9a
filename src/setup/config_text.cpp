// Adds a block of lines to the end of a text, and takes it away again so that no byte of the rest differs.
#include "setup/config_text.hpp"

#include <algorithm>

namespace terminally {

std::string line_end_of(std::string_view text) {
  const std::size_t first = text.find('\n');
  return first != std::string_view::npos && first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::size_t line_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

std::string with_block(const ConfigText& text, std::string_view block) {
  const std::string before = text.value_or("");
  const std::string line_end = line_end_of(before);
  std::string added;
  for (const char c : block) {
    added += c == '\n' ? line_end : std::string(1, c);
  }
  if (!text) {
    return added + line_end;
  }
  if (before.ends_with('\n')) {
    return before + line_end + added + line_end;
  }
  return before + (before.empty() ? "" : line_end) + added;
}

ConfigText without_block(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string line_end = line_end_of(text);
  std::string_view before = text.substr(0, begin);
  end = std::min(end, text.size());  // a block behind it that ended no line has taken its own away
  const std::string_view after = text.substr(end);
  const bool is_ended = text.substr(begin, end - begin).ends_with('\n');
  if (before.empty() && after.empty() && is_ended) {
    return std::nullopt;
  }
  const bool has_line_before = before.ends_with(line_end);
  std::string_view shorter = has_line_before ? before.substr(0, before.size() - line_end.size()) : before;
  if (!is_ended || shorter.empty() || shorter.ends_with('\n')) {
    before = shorter;
  }
  return std::string(before) + std::string(after);
}

}  // namespace terminally
