// Commands and the words that the shell reserves: what a list of them leaves open.

#include "shell/shell_text_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/one_of.hpp"

namespace terminally {

/// Commands up to the end of the text or, in a substitution, past its closing parenthesis.
bool ShellTextReader::read_commands(bool in_substitution) {
  State outer = std::exchange(now_, State());
  bool closed = false;
  while (!at_end() && !closed) {
    if (in_substitution && now_.open.empty() && take(")")) {
      closed = true;
    } else if (!read_token()) {
      return false;
    }
  }
  const bool whole =
      closed == in_substitution && now_.open.empty() && now_.documents.empty() && !now_.needs_more;
  now_ = std::move(outer);
  return whole;
}

void ShellTextReader::expect_command() {
  now_.at_command = true;
  now_.needs_more = false;
  now_.named = false;
  now_.function = false;
}

bool ShellTextReader::read_token() {
  const char c = text_[at_];
  if (is_one_of(c, kBlanks)) {
    ++at_;
    return true;
  }
  if (take("\\\n")) {
    return !at_end();
  }
  if (c == '#') {
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }
  if (c == '\n') {
    return read_newline();
  }
  if (c == '<' || c == '>') {
    return read_redirection();
  }
  if (c == '(' || c == ')') {
    return read_parenthesis();
  }
  return is_one_of(c, kEndsWord) ? read_operator() : read_word();
}

bool ShellTextReader::read_newline() {
  ++at_;
  const std::vector<HereDocument> documents = std::exchange(now_.documents, {});
  if (!std::all_of(documents.begin(), documents.end(),
                   [this](const HereDocument& document) { return skip_document(document); })) {
    return false;
  }
  if (!now_.is_in(Open::array)) {
    now_.at_command = true;  // what needs more goes on needing it
  }
  return true;
}

bool ShellTextReader::read_parenthesis() {
  if (next_is(")")) {
    return close_parenthesis();
  }
  if (now_.at_command && next_is("((")) {
    at_ += 2;
    now_.at_command = false;
    now_.needs_more = false;
    return kind_ != ShellKind::posix && read_arithmetic();
  }
  if (now_.loop_head && next_is("((")) {
    at_ += 2;
    return read_arithmetic();
  }
  if (now_.named && take("()")) {
    return expect_body();
  }
  ++at_;
  if (now_.in_pattern()) {
    now_.at_command = false;
    return true;
  }
  const bool subshell = now_.at_command;
  now_.open.push_back(Open::parenthesis);
  expect_command();
  return subshell;
}

bool ShellTextReader::close_parenthesis() {
  ++at_;
  if (now_.in_pattern()) {
    now_.pattern = false;
    expect_command();
    return true;
  }
  const bool subshell = now_.is_in(Open::parenthesis);
  if ((!subshell && !now_.is_in(Open::array)) || now_.needs_more) {
    return false;
  }
  now_.open.pop_back();
  now_.at_command = subshell;  // only a reserved word may follow
  now_.named = false;
  return true;
}

bool ShellTextReader::read_operator() {
  for (const std::string_view op : {";;&", ";;", ";&", ";|"}) {
    if (take(op)) {
      const bool in_choice = now_.is_in(Open::choice) && !now_.pattern;
      now_.pattern = true;
      now_.at_command = true;
      return in_choice && !now_.needs_more;
    }
  }
  if (now_.in_pattern() && take("|")) {
    return true;
  }
  if (now_.needs_more || now_.is_in(Open::array)) {
    return false;
  }
  for (const std::string_view op : {"&&", "||", "|&", "|"}) {
    if (take(op)) {
      expect_command();
      now_.needs_more = true;
      return true;
    }
  }
  now_.loop_head = false;
  if (take("&>>") || take("&>")) {
    return kind_ != ShellKind::posix && skip_to_word();
  }
  ++at_;  // `;` and `&`
  expect_command();
  return true;
}

bool ShellTextReader::read_word() {
  const std::size_t begin = at_;
  if (!read_word_parts()) {
    return false;
  }
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (next_is("(") && !now_.in_pattern()) {
    return read_after_word(word);
  }
  if (now_.is_in(Open::array) || now_.in_pattern()) {
    return !now_.in_pattern() || read_pattern_word(word);
  }
  if (now_.function) {
    return expect_body();
  }
  if (now_.choosing) {
    now_.choosing = word != "in";
    now_.pattern = word == "in";
    now_.at_command = now_.pattern;
    return true;
  }
  now_.named = false;
  return !now_.at_command || read_first_word(word);
}

/// A function's.
bool ShellTextReader::expect_body() {
  expect_command();
  now_.needs_more = true;
  return true;
}

bool ShellTextReader::read_pattern_word(std::string_view word) {
  if (word == "esac" && now_.at_command) {
    now_.open.pop_back();
    now_.pattern = false;
  } else {
    now_.at_command = false;
  }
  return true;
}

/// `f()`, `a=(`. All else is a pattern of bash or zsh.
bool ShellTextReader::read_after_word(std::string_view word) {
  if (next_is("()") && (now_.at_command || now_.function) &&
      word.find_first_of("'\"$`\\=") == std::string_view::npos) {
    at_ += 2;
    return expect_body();
  }
  if (word.ends_with('=') && kind_ != ShellKind::posix) {
    ++at_;
    now_.open.push_back(Open::array);
    now_.at_command = now_.needs_more = false;
    return true;
  }
  return false;
}

bool ShellTextReader::read_first_word(std::string_view word) {
  now_.needs_more = false;
  now_.at_command = false;
  if (is_one_of(word, {"if", "while", "until", "for", "select", "case", "{"})) {
    now_.open.push_back(word == "if"     ? Open::condition
                        : word == "case" ? Open::choice
                        : word == "{"    ? Open::brace
                                         : Open::loop);
    now_.choosing = word == "case";
    now_.loop_head = word == "for";
    now_.at_command = is_one_of(word, {"if", "while", "until", "{"});
    return true;
  }
  if (is_one_of(word, {"then", "elif", "else", "do"})) {
    now_.at_command = true;
    return !now_.open.empty();
  }
  if (word == "fi" || word == "done" || word == "esac" || word == "}") {
    const Open closes = word == "fi"     ? Open::condition
                        : word == "done" ? Open::loop
                        : word == "esac" ? Open::choice
                                         : Open::brace;
    const bool right = !now_.open.empty() && now_.open.back() == closes;
    if (right) {
      now_.open.pop_back();
      now_.at_command = true;  // only a reserved word may follow
    }
    return right;
  }
  if (is_one_of(word, {"!", "time", "coproc"})) {
    expect_command();
    now_.needs_more = true;
    return true;
  }
  if (is_one_of(word, {"[[", "function"}) && kind_ == ShellKind::posix) {
    return false;  // words to dash, more to ksh
  }
  if (word == "[[") {
    return read_test();
  }
  now_.function = word == "function";
  now_.needs_more = now_.function;
  now_.named = true;
  // zsh has more, and may leave out the braces and the `do`.
  return !is_one_of(word, {"repeat", "foreach", "end", "nocorrect", "always", "-"});
}

bool ShellTextReader::read_test() {
  for (;;) {
    while (!at_end() && is_one_of(text_[at_], kEndsWord)) {
      ++at_;
    }
    const std::size_t begin = at_;
    if (at_end() || !read_word_parts()) {
      return false;
    }
    if (text_.substr(begin, at_ - begin) == "]]") {
      return true;
    }
  }
}

}  // namespace terminally
