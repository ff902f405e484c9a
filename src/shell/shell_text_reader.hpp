#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "system/shell_kind.hpp"

namespace terminally {

/// Reads a text of a POSIX-like shell. Every function returns false at what is not closed or not understood:
/// then the whole text counts as open.
class ShellTextReader {
 public:
  ShellTextReader(ShellKind kind, std::string_view text) : kind_(kind), text_(text) {}

  bool reads_whole_text() { return read_commands(false) && at_ == text_.size(); }

 private:
  static constexpr std::string_view kBlanks = " \t";
  static constexpr std::string_view kEndsWord = " \t\n;&|<>()";

  /// What a command list is within.
  enum class Open { parenthesis, array, brace, condition, loop, choice };

  struct HereDocument {
    std::string end;
    bool tabs = false;
    bool quoted = false;
  };

  /// Of one list of commands; a substitution in it has its own.
  struct State {
    std::vector<Open> open;
    std::vector<HereDocument> documents;  ///< whose lines come after the next newline
    bool at_command = true;               ///< the next word may be a reserved one
    bool needs_more = false;              ///< a command must follow
    bool named = false;                   ///< after the first word of a command: it may be a function's name
    bool function = false;                ///< after the word `function`
    bool choosing = false;                ///< between `case` and `in`
    bool pattern = false;                 ///< where a `case` has its patterns
    bool loop_head = false;               ///< after `for`

    [[nodiscard]] bool is_in(Open what) const { return !open.empty() && open.back() == what; }
    [[nodiscard]] bool in_pattern() const { return pattern && is_in(Open::choice); }
  };

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool next_is(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    const bool there = next_is(what);
    at_ += there ? what.size() : 0;
    return there;
  }
  bool skip_past(char end) {
    at_ = std::min(text_.find(end, at_), text_.size());
    return take(std::string_view(&end, 1));
  }

  // shell_text_commands.cpp
  bool read_commands(bool in_substitution);
  void expect_command();
  bool read_token();
  bool read_newline();
  bool read_parenthesis();
  bool close_parenthesis();
  bool read_operator();
  bool read_word();
  bool expect_body();
  bool read_pattern_word(std::string_view word);
  bool read_after_word(std::string_view word);
  bool read_first_word(std::string_view word);
  bool read_test();

  // shell_text_redirections.cpp
  bool read_redirection();
  bool skip_to_word();
  bool read_document_word();
  bool skip_document(const HereDocument& document);

  // shell_text_words.cpp
  bool read_word_parts();
  bool read_word_part();
  bool read_double_quoted();
  bool read_backquoted();
  bool read_expansion(bool quoted);
  bool read_substitution();
  bool read_arithmetic();
  bool read_ansi_quoted();
  bool read_parameter(bool quoted);

  ShellKind kind_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  State now_;
};

}  // namespace terminally
