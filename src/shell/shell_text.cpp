#include "shell/shell_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/one_of.hpp"
#include "shell/shell_text_reader.hpp"

namespace terminally {

bool is_complete_text(ShellKind kind, std::string_view text) {
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return kind != ShellKind::fish && !blank && !text.ends_with("\\") && !text.ends_with("\\\n") &&
         ShellTextReader(kind, text).reads_whole_text();
}

bool ends_with_program(std::string_view text, std::string_view program) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      words.back() += c == quote ? "" : std::string(1, c);
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t') {
      words.emplace_back();
    } else if (text.substr(i, 2) == "&&") {
      words.assign(1, "");
      ++i;
    } else if (c == '\n' || c == ';') {
      if (text.find_first_not_of(" \t\n", i + 1) != std::string_view::npos) {
        return false;
      }
    } else if (is_one_of(c, "|&(){}<>`!#\\")) {
      return false;
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  if (quote != 0 || words.empty() || words.front() == "not") {
    return false;
  }
  return std::any_of(words.begin(), words.end(), [program](std::string_view word) {
    return word.substr(word.rfind('/') + 1) == program || word == "$SHELL" || word == "${SHELL}";
  });
}

}  // namespace terminally
