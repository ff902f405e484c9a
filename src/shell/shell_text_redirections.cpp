// Redirections and here-documents.

#include "shell/shell_text_reader.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/one_of.hpp"

namespace terminally {

bool ShellTextReader::read_redirection() {
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

bool ShellTextReader::skip_to_word() {
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

bool ShellTextReader::read_document_word() {
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

bool ShellTextReader::skip_document(const HereDocument& document) {
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

}  // namespace terminally
