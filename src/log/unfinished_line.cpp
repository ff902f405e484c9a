// Reads the unfinished last line of a log as plain text, masked where there is a guard.
#include "log/unfinished_line.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/characters.hpp"
#include "base/utf8.hpp"
#include "log/masking.hpp"
#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "text/drawn_line.hpp"

namespace terminally {
namespace {

constexpr std::size_t kPromptBytes = 200;
constexpr std::size_t kLastLineBytes = 4'096;
/// How much of the line is read with a guard: a secret or a private key may begin far before its end.
constexpr std::size_t kGuardedLineBytes = std::size_t{16} * 1024;

std::string last_line_bytes(const PaneLog& log, std::size_t most) {
  std::string bytes = log.last_lines(1, most).bytes;
  return bytes.ends_with('\n') ? std::string() : bytes;
}

/// Whether the line that ends the log is one of a private key.
bool is_in_key(const PaneLog& log, const Secrets& secrets) {
  const std::uint64_t end = log.end();
  bool in_key = false;
  static_cast<void>(secrets.find(
      strip_ansi(read_range(log, end - std::min<std::uint64_t>(end, kGuardedLineBytes), end)), true, in_key));
  return in_key;
}

/// What follows the blanks with which zsh (PROMPT_SP) and fish fill a row that has no new line at its end, so
/// that their prompt gets a row of its own.
std::string_view after_filled_row(std::string_view bytes) {
  constexpr std::string_view kEndOfFill = "                \r";
  const std::size_t fill = bytes.rfind(kEndOfFill);
  return fill == std::string_view::npos ? bytes : bytes.substr(fill + kEndOfFill.size());
}

std::string plain_line(const std::string& bytes, int cols) {
  std::string text;
  LineState state;
  const Effect effect = strip_line(bytes, state, text);
  if (effect == Effect::screen) {
    return {};
  }
  if (effect == Effect::line) {
    CharacterWidths widths;
    auto drawn = draw_line(bytes, CharacterSets(), cols, widths);
    if (!drawn) {
      drawn = draw_line(after_filled_row(bytes), CharacterSets(), cols, widths);
    }
    text = drawn ? drawn->text : text;
  }
  return to_valid_utf8(without_blanks(text));
}

/// The last bytes of a line that is masked already.
std::string end_of_line(std::string_view line) {
  if (line.size() > kPromptBytes) {
    line.remove_prefix(line.size() - kPromptBytes);
    while (!line.empty() && (static_cast<unsigned char>(line.front()) & 0xC0U) == 0x80) {
      line.remove_prefix(1);
    }
  }
  return std::string(without_blanks(line));
}

}  // namespace

std::string unfinished_line(const PaneLog& log, int cols, TextGuard* guard) {
  const bool masks = guard != nullptr && guard->secrets().any();
  const std::string bytes = last_line_bytes(log, masks ? kGuardedLineBytes : kLastLineBytes);
  std::string line = bytes.empty() ? bytes : plain_line(bytes, cols);
  if (masks && !line.empty()) {
    if (is_in_key(log, guard->secrets())) {
      guard->count(SecretRules::kPrivateKey, line);
      return guard->secrets().mask(SecretRules::kPrivateKey);
    }
    line = guard->masked_unfinished(line);
  }
  return end_of_line(line);
}

std::string whole_unfinished_line(const PaneLog& log, int cols) {
  const std::string bytes = last_line_bytes(log, kLastLineBytes);
  return bytes.empty() || bytes.size() == kLastLineBytes ? std::string() : plain_line(bytes, cols);
}

}  // namespace terminally
