#include "log/own_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/conventions.hpp"

namespace terminally {
namespace {

constexpr std::string_view kStartMark = "\x1b]133;C;mcp=START:";
constexpr std::string_view kAnyRecord = "\x1b]133;";
/// What erases the typed line and begins the command as it is shown (shell/scripts/*/wrapper).
constexpr std::string_view kErases = "\r\x1b[A\x1b[2K$ ";
/// How a typed line begins (shell/scripts/*/source and mend; unit test: "the echo of every typed line"):
/// `builtin source` of fish is drawn in parts. Behind ssh or su: by its nonce.
constexpr std::array<std::string_view, 8> kTyped = {
    R"(\builtin . )",
    R"(\builtin \. )",
    R"(\. )",
    "builtin source ",
    "builtin \r\x1b[",
    R"(POSIXLY_CORRECT=1; \unset -f builtin; )",
    R"(\unfunction builtin; )",
    R"(\unset -f command printf; __mcp_no_hook=1; )",
};
/// More than a command as it is shown, and than an echo with its drawing.
constexpr std::size_t kShownBytes = 4'096;
constexpr std::size_t kEchoBytes = 4'096;
/// The echo of the keys that clear the line.
constexpr std::size_t kClearingBytes = 16;

/// How fish says where in a script an error came.
constexpr std::string_view kFrom = "from sourcing file ";
constexpr std::string_view kCalled = "called on line ";

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Where the echo begins that ends before `end`; npos: it is not there.
std::size_t echo_begin(std::string_view bytes, std::size_t end, std::string_view name) {
  const std::string in_lines = "__mcp_" + std::string(name) + "_s=$?";
  const std::string_view all = bytes.substr(0, end);
  if (const std::size_t at = all.rfind(in_lines); at != std::string_view::npos) {
    return end - at < kInlineEchoBytes ? at : std::string_view::npos;
  }
  std::size_t from = end - std::min(end, kEchoBytes);
  if (const std::size_t record = all.rfind(kAnyRecord); record != std::string_view::npos && record > from) {
    from = record;
  }
  std::size_t begin = std::string_view::npos;
  for (const std::string_view typed : kTyped) {
    begin = std::min(begin, all.find(typed, from));
  }
  return begin;
}

/// Takes in what stands before it of the keys that clear the line: blanks, backspaces, dash's "^E".
std::size_t with_clearing(std::string_view bytes, std::size_t begin) {
  const std::size_t first = begin - std::min(begin, kClearingBytes);
  for (bool erased = false; begin > first;) {
    const std::string_view before = bytes.substr(0, begin);
    if (before.ends_with(' ') || before.ends_with('\b')) {
      erased = erased || before.ends_with('\b');
      --begin;
    } else if (before.ends_with("\x1b[K")) {
      begin -= 3;
    } else if (erased && before.ends_with("^E")) {
      begin -= 2;
    } else {
      break;
    }
  }
  return begin;
}

std::string_view without_tabs(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of('\t'), line.size()));
}

/// Whether the beginning of a line may become one that is_about_our_script.
bool may_be_about_our_script(std::string_view line) {
  const std::string_view said = without_tabs(line);
  return !line.empty() && line.size() < kEchoBytes &&
         std::ranges::any_of(
             std::array{kFrom, kCalled},
             [said](std::string_view begin) { return begin.starts_with(said.substr(0, begin.size())); });
}

/// Where the directory begins that is named before the "/" at `slash`: in full, or with a tilde in place of
/// its beginning, as shells abbreviate a home or another directory that has a name.
std::optional<std::size_t> begin_of_directory(std::string_view text, std::size_t slash,
                                              std::string_view directory) {
  const std::string_view before = text.substr(0, slash);
  if (before.ends_with(directory)) {
    return slash - directory.size();
  }
  const std::size_t tilde = before.rfind('~');
  const std::size_t rest = tilde == std::string_view::npos ? tilde : before.find('/', tilde);
  return rest != std::string_view::npos && directory.ends_with(before.substr(rest)) ? std::optional(tilde)
                                                                                    : std::nullopt;
}

/// Whether `text` is a beginning of `directory`, a "/" and the name of a file of ours.
bool may_become_name(std::string_view text, std::string_view directory) {
  if (directory.starts_with(text)) {
    return true;
  }
  const std::string_view name = text.starts_with(directory) ? text.substr(directory.size()) : "?";
  return name[0] == '/' && name.size() <= kCommandIdDigits + 1 && is_hexadecimal(name.substr(1));
}

/// The same where a tilde may stand in place of the directory's beginning.
bool may_become_abbreviated(std::string_view text, std::string_view directory) {
  if (!text.starts_with('~')) {
    return may_become_name(text, directory);
  }
  const std::size_t rest = text.find('/');
  bool may = rest == std::string_view::npos && text.find_first_of(" \t") == std::string_view::npos;
  for (std::size_t at = directory.find('/', 1);
       !may && at != std::string_view::npos && rest != std::string_view::npos;
       at = directory.find('/', at + 1)) {
    may = may_become_name(text.substr(rest), directory.substr(at));
  }
  return may;
}

/// The line of fish that says where in our own script the text was called.
bool is_about_our_script(std::string_view line, std::string_view path) {
  while (line.ends_with('\r') || line.ends_with('\n')) {
    line.remove_suffix(1);
  }
  if (!line.ends_with(path)) {
    return false;
  }
  line.remove_suffix(path.size());
  line = without_tabs(line);
  return line == kFrom || (line.starts_with(kCalled) && line.ends_with(" of file "));
}

}  // namespace

std::vector<Edit> typed_echoes(std::string_view bytes) {
  std::vector<Edit> echoes;
  for (std::size_t start = bytes.find(kStartMark); start != std::string_view::npos;
       start = bytes.find(kStartMark, start + kStartMark.size())) {
    const std::string_view name = bytes.substr(start + kStartMark.size(), kCommandIdDigits);
    const std::size_t erases = bytes.rfind(kErases, start);
    if (name.size() < kCommandIdDigits || erases == std::string_view::npos || start - erases > kShownBytes) {
      continue;
    }
    const std::size_t begin = echo_begin(bytes, erases, name);
    const std::size_t last = bytes.rfind('\n', erases);
    if (begin == std::string_view::npos || last == std::string_view::npos || last < begin) {
      continue;
    }
    // The line that has the name ends it; the name may be broken at the edge of the terminal.
    const std::size_t named = bytes.rfind(name, erases);
    std::size_t end = named != std::string_view::npos && named > begin ? bytes.find('\n', named) : last;
    end = std::min(end, last);
    while (end > begin && bytes[end - 1] == '\r') {
      --end;
    }
    echoes.push_back({.begin = with_clearing(bytes, begin), .end = end});
  }
  return echoes;
}

std::size_t begin_of_screen(std::string_view bytes) {
  const std::size_t start = bytes.rfind(kStartMark);
  const std::size_t end = start == std::string_view::npos ? start : bytes.find('\a', start);
  return end + 1;  // npos + 1 is 0
}

bool may_be_inline_echo(std::string_view bytes) {
  constexpr std::size_t kDrawing = 40;  // between the backslash and the end of its line
  bool any = false;
  for (std::size_t line = 0, newline = 0; (newline = bytes.find('\n', line)) != std::string_view::npos;
       line = newline + 1) {
    const std::size_t from = std::max(line, newline - std::min(newline, kDrawing));
    any = bytes.substr(from, newline - from).find('\\') != std::string_view::npos;
    if (!any) {
      break;
    }
  }
  return any;
}

std::vector<Edit> command_names(std::string_view text, std::string_view directory) {
  std::vector<Edit> names;
  std::size_t done = 0;
  const std::string last =
      directory.empty() ? "/" : std::string(directory.substr(directory.rfind('/'))) + "/";
  for (std::size_t at = directory.empty() ? std::string_view::npos : text.find(last);
       at != std::string_view::npos; at = text.find(last, at + 1)) {
    const std::size_t slash = at + last.size() - 1;
    const std::size_t end = slash + 1 + kCommandIdDigits;
    if (text.size() < end || !is_hexadecimal(text.substr(slash + 1, kCommandIdDigits))) {
      continue;
    }
    const auto begin = begin_of_directory(text, slash, directory);
    if (!begin || *begin < done) {
      continue;
    }
    if (end < text.size() && text[end] == static_cast<char>(CommandFile::text)) {
      done = end + 1;
      names.push_back({.begin = *begin, .end = done, .shown = "command"});
      continue;
    }
    const std::size_t line = text.rfind('\n', *begin) + 1;  // npos + 1 is 0
    const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    if (line >= done &&
        is_about_our_script(text.substr(line, next - line), text.substr(*begin, end - *begin))) {
      done = next;
      names.push_back({.begin = line, .end = done});
    }
  }
  return names;
}

std::size_t unfinished_name(std::string_view text, std::string_view directory, bool begins_line) {
  if (directory.empty()) {
    return text.size();
  }
  const std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
  if ((begins_line || line > 0) && may_be_about_our_script(text.substr(line))) {
    return line;
  }
  const std::size_t longest = directory.size() + 1 + kCommandIdDigits;
  std::size_t at = std::max(line, text.size() - std::min(text.size(), longest));
  while (at < text.size() && !may_become_abbreviated(text.substr(at), directory)) {
    ++at;
  }
  return at;
}

}  // namespace terminally
