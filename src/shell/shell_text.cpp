// Quotes words for POSIX shells and for fish.
// Skims the text of a command for what the text leaves open; this is no full parser.

#include "shell/shell_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/characters.hpp"

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

namespace {

/// Skims a text: skips quotes, comments and here-documents, and counts brackets and the words that begin and
/// end compound commands, without matching one to the other.
class Skimmed {
 public:
  Skimmed(ShellKind kind, std::string_view text) : kind_(kind), text_(text) {}

  bool leaves_open() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_one_of(c, " \t\n")) {
        at_command_ = at_command_ || c == '\n';
        ++at_;
        if (c == '\n' && !skip_documents()) {
          return true;
        }
      } else if (c == '#' && (at_ == 0 || is_one_of(text_[at_ - 1], " \t\n;&|("))) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (is_one_of(c, kOperators)) {
        read_operator();
      } else if (!read_word()) {
        return true;
      }
    }
    // fish ends its blocks by a word that is not counted here, and takes nothing of ours for a part of one.
    const bool in_block = commands_ > 0 && kind_ != ShellKind::fish;
    return in_block || parentheses_ > 0 || braces_ > 0 || !documents_.empty() || first_ == "function" ||
           is_one_of(last_, {"", "&&", "||", "|", "|&", "!", "()"});
  }

 private:
  static constexpr std::string_view kOperators = ";&|<>(){}";
  static constexpr std::string_view kEndsWord = " \t\n;&|<>(){}";

  struct HereDocument {
    std::string end;
    bool tabs = false;  ///< `<<-`: tabs at the start of its lines do not count
  };

  void read_operator() {
    const std::size_t begin = at_;
    const char c = text_[at_++];
    count(parentheses_, c == '(', c == ')');
    count(braces_, c == '{', c == '}');
    if (is_one_of(c, ";&|")) {
      at_ = std::min(text_.find_first_not_of(";&|", at_), text_.size());
    }
    if (text_.substr(begin, 3) == "<<<") {
      at_ += 2;
    } else if (text_.substr(begin, 2) == "<<") {
      ++at_;
      read_document_word();
    }
    last_ = c == ')' && last_ == "(" ? "()" : text_.substr(begin, at_ - begin);
    at_command_ = at_command_ || !is_one_of(c, "<>");
    first_ = {};
  }

  /// The document's lines come after the next newline.
  void read_document_word() {
    HereDocument document;
    document.tabs = text_.substr(at_).starts_with('-');
    at_ = std::min(text_.find_first_not_of(" \t", at_ + (document.tabs ? 1 : 0)), text_.size());
    for (; at_ < text_.size() && !is_one_of(text_[at_], kEndsWord); ++at_) {
      if (!is_one_of(text_[at_], "'\"\\")) {
        document.end += text_[at_];
      }
    }
    documents_.push_back(std::move(document));
  }

  /// False: a here-document may reach the end of the text. A `\` joins lines, and dash reads on after `$(`.
  bool skip_documents() {
    for (const HereDocument& document : std::exchange(documents_, {})) {
      std::string_view line;
      do {
        if (at_ >= text_.size()) {
          return false;
        }
        line = text_.substr(at_, text_.find('\n', at_) - at_);
        at_ = std::min(at_ + line.size() + 1, text_.size());
        if (line.ends_with('\\') ||
            (kind_ == ShellKind::posix && line.find_first_of("$`") != std::string_view::npos)) {
          return false;
        }
        if (document.tabs) {
          line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        }
      } while (line != document.end);
    }
    return true;
  }

  /// False: the text ends within the word, or right after a backslash.
  bool read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_one_of(text_[at_], kEndsWord)) {
      const char c = text_[at_++];
      if (c == '"') {
        while (at_ < text_.size() && text_[at_] != '"') {
          at_ += text_[at_] == '\\' ? 2 : 1;
        }
        ++at_;
      } else if (c == '\'' || c == '`') {
        at_ = std::min(text_.find(c, at_), text_.size()) + 1;
      } else if (c == '\\') {
        at_ += text_.substr(at_) == "\n" ? 2 : 1;
      }
    }
    if (at_ > text_.size()) {
      return false;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word != "\\\n") {
      count_word(word);
    }
    return true;
  }

  /// Counts what is open; never below 0, because the `)` of `case x in a)` closes nothing.
  static void count(int& open, bool begins, bool ends) {
    open = std::max(0, open + (begins ? 1 : 0) - (ends ? 1 : 0));
  }

  void count_word(std::string_view word) {
    last_ = word;
    count(commands_, false, word == "]]");
    if (!at_command_) {
      return;
    }
    first_ = word;
    count(commands_,
          is_one_of(word, {"if", "case", "for", "while", "until", "select", "repeat", "foreach", "[["}),
          is_one_of(word, {"fi", "esac", "done"}));
    at_command_ = is_one_of(
        word, {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac", "!", "time"});
  }

  ShellKind kind_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view last_;   ///< the last word or operator
  std::string_view first_;  ///< the first word of the last command, while nothing but words came after it
  bool at_command_ = true;  ///< the next word may be a reserved one
  int commands_ = 0;
  int parentheses_ = 0;
  int braces_ = 0;
  std::vector<HereDocument> documents_;  ///< their lines come after the next newline
};

}  // namespace

bool may_be_unfinished(ShellKind kind, std::string_view text) {
  return Skimmed(kind, text).leaves_open();
}

namespace {

/// The text with a letter in place of what is quoted. Nothing where something is substituted, which runs
/// before what it is for, or where it is not plain to see.
std::optional<std::string> without_quoted(std::string_view text) {
  std::string bare;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\'' && (is_one_of(c, "`\\") || text.substr(i, 2) == "$(")) {
      return std::nullopt;
    }
    if (quote == 0 && is_one_of(c, "'\"")) {
      quote = c;
    } else if (quote == 0) {
      bare += c;
    } else if (c == quote) {
      bare += 'q';
      quote = 0;
    }
  }
  return quote == 0 ? std::optional(bare) : std::nullopt;
}

}  // namespace

bool is_one_job(std::string_view text) {
  const auto bare = without_quoted(text.substr(0, text.find_last_not_of(" \t\n;") + 1));
  if (!bare || bare->empty()) {
    return false;
  }
  if (bare->front() == '(' && bare->find_first_of("()", 1) == bare->size() - 1) {
    return true;
  }
  for (std::size_t i = 0; i < bare->size(); ++i) {
    const char before = i == 0 ? ' ' : bare->at(i - 1);
    const bool redirects = is_one_of(before, ">|") || bare->substr(i, 2) == "&>";
    const char c = bare->at(i);
    if (is_one_of(c, ";\n(){#") || (c == '&' && !redirects) || (c == '|' && before == '|')) {
      return false;
    }
  }
  return true;
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
