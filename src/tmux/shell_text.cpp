#include "tmux/shell_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/one_of.hpp"

namespace terminally {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kEndsWord = " \t\n;&|<>()";
constexpr int kDeepest = 30;  ///< substitutions within one another

/// Reads a text of a POSIX-like shell. Every function returns false at what is not closed or not understood:
/// then the whole text counts as open.
class Reader {
 public:
  Reader(ShellKind kind, std::string_view text) : kind_(kind), text_(text) {}

  bool reads_whole_text() { return read_commands(false) && at_ == text_.size(); }

 private:
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

  /// Commands up to the end of the text or, in a substitution, past its closing parenthesis.
  bool read_commands(bool in_substitution) {
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

  void expect_command() {
    now_.at_command = true;
    now_.needs_more = false;
    now_.named = false;
    now_.function = false;
  }

  bool read_token() {
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

  bool read_newline() {
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

  bool skip_document(const HereDocument& document) {
    std::string line;
    while (!at_end()) {
      const std::size_t end = text_.find('\n', at_);
      line += text_.substr(at_, end == std::string_view::npos ? end : end - at_);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
      const std::size_t last = line.find_last_not_of('\\');
      const std::size_t backslashes = line.size() - (last == std::string::npos ? 0 : last + 1);
      const bool expands = line.find("$(") != std::string::npos || line.find("${") != std::string::npos ||
                           line.find('`') != std::string::npos;
      if (!document.quoted && kind_ == ShellKind::posix && expands) {
        return false;  // dash reads on to the end of those, over the end of the document
      }
      if (!document.quoted && backslashes % 2 == 1) {
        line.pop_back();  // the next line continues it
        continue;
      }
      if (document.tabs) {
        line.erase(0, std::min(line.find_first_not_of('\t'), line.size()));
      }
      if (line == document.end) {
        return end != std::string_view::npos || at_end();
      }
      line.clear();
    }
    return false;
  }

  bool read_redirection() {
    if (take("<<<") || next_is("<(") || next_is(">(")) {
      const bool substitution = next_is("<(") || next_is(">(");
      at_ += substitution ? 2 : 0;
      return !substitution || (kind_ != ShellKind::posix && read_substitution());
    }
    if (take("<<")) {
      return read_document_word();
    }
    for (const std::string_view op : {"<>", "<&", ">>", ">&", ">|", "<", ">"}) {
      if (take(op)) {
        break;
      }
    }
    return skip_to_word();  // the file's name must follow
  }

  bool skip_to_word() {
    while (!at_end() && (is_one_of(text_[at_], kBlanks) || next_is("\\\n"))) {
      at_ += next_is("\\\n") ? 2 : 1;
    }
    if (at_end() || (is_one_of(text_[at_], kEndsWord) && !next_is("<(") && !next_is(">("))) {
      return false;
    }
    const bool at_command = now_.at_command;
    const bool read = next_is("<(") || next_is(">(") ? read_redirection() : read_word_parts();
    now_.at_command = at_command;
    return read;
  }

  bool read_document_word() {
    HereDocument document;
    document.tabs = take("-");
    while (!at_end() && is_one_of(text_[at_], kBlanks)) {
      ++at_;
    }
    const std::size_t begin = at_;
    for (; !at_end() && !is_one_of(text_[at_], kEndsWord); ++at_) {
      const char c = text_[at_];
      if (c == '$' || c == '`') {
        return false;  // shells differ
      }
      if (c == '\'' || c == '"') {
        document.quoted = true;
        const std::size_t end = text_.find(c, at_ + 1);
        const std::string_view inside =
            text_.substr(at_ + 1, end == std::string_view::npos ? 0 : end - at_ - 1);
        if (end == std::string_view::npos || inside.find_first_of("\\\n") != std::string_view::npos) {
          return false;
        }
        document.end += inside;
        at_ = end;
      } else if (c == '\\') {
        document.quoted = true;
        ++at_;
        if (at_ >= text_.size() || text_[at_] == '\n') {
          return false;
        }
        document.end += text_[at_];
      } else {
        document.end += c;
      }
    }
    now_.documents.push_back(document);
    return at_ > begin;
  }

  /// The inside of `$(…)` or `<(…)`. A here-document that waits for its lines around it is more than we know.
  bool read_substitution() {
    const std::size_t begin = at_;
    ++depth_;
    if (depth_ >= kDeepest || !read_commands(true)) {
      return false;
    }
    --depth_;
    return (now_.documents.empty() || text_.substr(begin, at_ - begin).find('\n') == std::string_view::npos);
  }

  bool read_arithmetic() {
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

  bool read_parenthesis() {
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

  bool close_parenthesis() {
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

  bool read_operator() {
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

  /// A word with its quotes and expansions.
  bool read_word_parts() {
    while (!at_end() && !is_one_of(text_[at_], kEndsWord)) {
      if (!read_word_part()) {
        return false;
      }
    }
    return true;
  }

  bool read_word_part() {
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

  bool read_double_quoted() {
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
  bool read_backquoted() {
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

  bool read_expansion(bool quoted) {
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

  bool read_ansi_quoted() {
    ++at_;
    while (!at_end() && text_[at_] != '\'') {
      if (text_[at_] == '\\' && kind_ == ShellKind::posix) {
        return false;  // dash does not know it, ksh does
      }
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    return take("'");
  }

  bool read_parameter(bool quoted) {
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

  bool read_word() {
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
  bool expect_body() {
    expect_command();
    now_.needs_more = true;
    return true;
  }

  bool read_pattern_word(std::string_view word) {
    if (word == "esac" && now_.at_command) {
      now_.open.pop_back();
      now_.pattern = false;
    } else {
      now_.at_command = false;
    }
    return true;
  }

  /// `f()`, `a=(`. All else is a pattern of bash or zsh.
  bool read_after_word(std::string_view word) {
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

  bool read_first_word(std::string_view word) {
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

  bool read_test() {
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

  ShellKind kind_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  State now_;
};

}  // namespace

bool is_complete_text(ShellKind kind, std::string_view text) {
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return kind != ShellKind::fish && !blank && !text.ends_with("\\") && !text.ends_with("\\\n") &&
         Reader(kind, text).reads_whole_text();
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
