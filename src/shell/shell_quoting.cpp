// Quotes words for POSIX shells and for fish.
#include "shell/shell_quoting.hpp"

#include <algorithm>

namespace terminally {
namespace {

std::string single_quoted(std::string_view text, std::string_view escaped_quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += escaped_quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

bool needs_no_quotes(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

std::string posix_quoted(std::string_view text) {
  return single_quoted(text, "'\\''");
}

std::string fish_quoted(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '\\') {
      doubled += c;
    }
  }
  return single_quoted(doubled, "\\'");
}

std::string quoted_for(ShellKind kind, std::string_view text) {
  return kind == ShellKind::fish ? fish_quoted(text) : posix_quoted(text);
}

std::string word_for(ShellKind kind, std::string_view text) {
  return needs_no_quotes(text) ? std::string(text) : quoted_for(kind, text);
}

std::string shell_word(std::string_view text) {
  return word_for(ShellKind::posix, text);
}

}  // namespace terminally
