// Words: their quotes and expansions.

#include "shell/shell_text_reader.hpp"

#include <algorithm>
#include <string_view>

#include "base/one_of.hpp"

namespace terminally {
namespace {

constexpr int kDeepest = 30;  ///< substitutions within one another

}  // namespace

/// A word with its quotes and expansions.
bool ShellTextReader::read_word_parts() {
  while (!at_end() && !is_one_of(text_[at_], kEndsWord)) {
    if (!read_word_part()) {
      return false;
    }
  }
  return true;
}

bool ShellTextReader::read_word_part() {
  const char c = text_[at_++];
  switch (c) {
    case '\\':
      ++at_;
      return at_ <= text_.size() && (text_[at_ - 1] != '\n' || !at_end());
    case '\'':
      return skip_past('\'');
    case '"':
      return read_double_quoted();
    case '`':
      return read_backquoted();
    case '$':
      return read_expansion(false);
    default:
      return true;
  }
}

bool ShellTextReader::read_double_quoted() {
  while (!at_end()) {
    const char c = text_[at_++];
    if (c == '"') {
      return true;
    }
    const bool read = c == '\\'  ? at_++ < text_.size()
                      : c == '`' ? read_backquoted()
                      : c == '$' ? read_expansion(true)
                                 : true;
    if (!read) {
      return false;
    }
  }
  return false;
}

/// What is inside is another text, with a backslash more before some characters. Rare: quotes,
/// here-documents and comments in it are not followed.
bool ShellTextReader::read_backquoted() {
  const std::size_t begin = at_;
  if (!skip_past('`')) {
    return false;
  }
  const std::string_view inside = text_.substr(begin, at_ - begin - 1);
  return inside.find_first_of("\\\n#") == std::string_view::npos &&
         inside.find("<<") == std::string_view::npos &&
         std::count(inside.begin(), inside.end(), '\'') % 2 == 0 &&
         std::count(inside.begin(), inside.end(), '"') % 2 == 0;
}

bool ShellTextReader::read_expansion(bool quoted) {
  if (take("((")) {
    const std::size_t begin = at_;
    if (read_arithmetic()) {
      return true;
    }
    at_ = begin - 1;  // `$( (…) )` written together
    return read_substitution();
  }
  if (take("(")) {
    return read_substitution();
  }
  if (take("{")) {
    return read_parameter(quoted);
  }
  if (!quoted && next_is("'")) {
    return read_ansi_quoted();
  }
  return true;
}

/// The inside of `$(…)` or `<(…)`. A here-document that waits for its lines around it is more than we know.
bool ShellTextReader::read_substitution() {
  const std::size_t begin = at_;
  ++depth_;
  if (depth_ >= kDeepest || !read_commands(true)) {
    return false;
  }
  --depth_;
  return (now_.documents.empty() || text_.substr(begin, at_ - begin).find('\n') == std::string_view::npos);
}

bool ShellTextReader::read_arithmetic() {
  int open = 2;
  for (; !at_end() && open > 0; ++at_) {
    const char c = text_[at_];
    if (c == '\'' || c == '"' || c == '`' || c == '\\' || c == '#') {
      return false;
    }
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return open == 0 && text_.substr(at_ - 2, 2) == "))";
}

bool ShellTextReader::read_ansi_quoted() {
  ++at_;
  while (!at_end() && text_[at_] != '\'') {
    if (text_[at_] == '\\' && kind_ == ShellKind::posix) {
      return false;  // dash does not know it, ksh does
    }
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  return take("'");
}

bool ShellTextReader::read_parameter(bool quoted) {
  if (++depth_ > kDeepest) {
    return false;
  }
  while (!at_end()) {
    const char c = text_[at_++];
    if (c == '}') {
      --depth_;
      return true;
    }
    const bool read = c == '\\'             ? at_++ < text_.size()
                      : c == '"'            ? read_double_quoted()
                      : c == '`'            ? read_backquoted()
                      : c == '$'            ? read_expansion(quoted)
                      : c == '\'' && quoted ? false  // shells differ
                      : c == '\''           ? skip_past('\'')
                                            : c != '{';
    if (!read) {
      return false;
    }
  }
  return false;
}

}  // namespace terminally
