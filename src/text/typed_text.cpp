// Checks text that is to be typed, and turns its line ends into keys.
// Splits the bytes that a terminal sends into keys, pastes and the terminal's own answers.

#include "text/typed_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/csi.hpp"

namespace terminally {

namespace {

struct Refused {
  std::size_t at;
  unsigned character;
};

/// The first control character other than tab, CR and LF: C0, DEL, and C1 as UTF-8 (C2 80 to C2 9F).
std::optional<Refused> first_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((c < 32 && c != '\t' && c != '\n' && c != '\r') || c == 127) {
      return Refused{i, c};
    }
    if (c == 0xC2 && next >= 0x80 && next < 0xA0) {
      return Refused{i, next};
    }
  }
  return std::nullopt;
}

std::string code_point(unsigned character) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "U+%04X", character);
  return text.data();
}

}  // namespace

bool has_other_control_characters(std::string_view text) {
  return first_control(text).has_value();
}

void check_text(std::string_view text, bool allow_control) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error(ErrorCode::invalid_argument,
                "text: has a NUL character at byte " + std::to_string(nul) + "; send_keys has it as C-@");
  }
  if (!is_valid_utf8(text)) {
    throw Error(ErrorCode::invalid_argument, "text: is not UTF-8");
  }
  const auto control = allow_control ? std::nullopt : first_control(text);
  if (control) {
    throw Error(
        ErrorCode::invalid_argument,
        "text: has the control character " + code_point(control->character) + " at byte " +
            std::to_string(control->at) +
            "; nothing was sent. Allowed: tab and newline, others with allow_control: true. Keys such "
            "as C-c or Escape go by send_keys");
  }
}

void check_prompt_text(std::string_view text) {
  if (const auto control = first_control(text)) {
    throw Error(ErrorCode::invalid_argument,
                "command: has the control character " + code_point(control->character) + " at byte " +
                    std::to_string(control->at) +
                    ", which could run it; nothing was typed. Allowed with append_newline: false: tab and "
                    "newline; send_text with submit: false and allow_control: true types any");
  }
}

bool takes_pasted_lines(std::string_view log) {
  constexpr std::string_view kOn = "\x1b[?2004h";
  const std::size_t on = log.rfind(kOn);
  if (on == std::string_view::npos) {
    return false;
  }
  // The mode is off again, or was set by a command that has ended, or the terminal was reset since.
  const std::string_view since = log.substr(on + kOn.size());
  return since.find("\x1b[?2004l") == std::string_view::npos &&
         since.find("\x1b]133;D;") == std::string_view::npos &&
         since.find("\x1b\x63") == std::string_view::npos;
}

std::string with_enter_keys(std::string_view text, bool submit) {
  std::string typed;
  typed.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    typed += pair ? '\n' : text[i];
    i += pair ? 1 : 0;
  }
  if (submit && (typed.ends_with('\n') || typed.ends_with('\r'))) {
    typed.pop_back();
  }
  return typed;
}

bool is_for_paste(std::string_view text) {
  return text.find_first_of("\t\r\n") != std::string_view::npos && !has_other_control_characters(text);
}

void check_line_lengths(std::string_view text, std::string_view field) {
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (end - begin > kLongestTypedLine) {
      throw Error(
          ErrorCode::invalid_argument,
          std::string(field) + ": line " + std::to_string(number) + " has " + std::to_string(end - begin) +
              " bytes, and the program reads by the line: its terminal keeps at most " +
              std::to_string(kLongestTypedLine) +
              " of a line and drops the rest. Nothing was sent; break the line, or pass the text in a "
              "file");
    }
    begin = end + 1;
  }
}

namespace {

/// A sequence with no end within so many bytes is none.
constexpr std::size_t kLongestSequence = 4'096;
/// The marks that a terminal puts around a paste if the program has asked for them. A longer paste is split.
constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";
constexpr std::size_t kLongestPaste = std::size_t{64} * 1024;

TypedKey unfinished(std::string_view typed) {
  return {typed.size() < kLongestSequence ? 0 : typed.size(), true};
}

TypedKey paste(std::string_view typed) {
  const std::size_t end = typed.find(kPasteEnds);
  if (end != std::string_view::npos) {
    return {end + kPasteEnds.size(), false};
  }
  return {typed.size() < kLongestPaste ? 0 : kPasteBegins.size(), false};
}

/// ESC [ … : keys, and reports of the cursor, the colours and what kind of terminal it is.
TypedKey control_sequence(std::string_view typed) {
  if (typed.starts_with(kPasteBegins)) {
    return paste(typed);
  }
  const auto is_final = [](char c) { return c >= '\x40' && c <= '\x7e'; };
  const auto* const end = std::find_if(typed.begin() + 2, typed.end(), is_final);
  if (end == typed.end()) {
    return unfinished(typed);
  }
  const bool is_private = typed[2] == '?' || typed[2] == '>' || typed[2] == '=';
  const bool report = is_one_of(*end, "cnRtxy") && end != typed.begin() + 2;
  return {static_cast<std::size_t>(end - typed.begin()) + 1, is_private || report};
}

/// ESC ] … and other strings, up to BEL or ESC \. A lone ESC ] is M-].
TypedKey string_sequence(std::string_view typed) {
  if (typed.size() == 2) {
    return {2, false};
  }
  const std::size_t bell = typed.find('\a');
  const std::size_t end = typed.find("\x1b\\", 2);
  if (bell == std::string_view::npos && end == std::string_view::npos) {
    return unfinished(typed);
  }
  return {bell < end ? bell + 1 : end + 2, true};
}

}  // namespace

TypedKey first_key(std::string_view typed) {
  if (typed.front() != kEscape || typed.size() == 1) {
    const Utf8Part part = first_utf8_part(typed);
    return {part.kind == Utf8Kind::incomplete ? 0 : part.bytes, false};
  }
  switch (typed[1]) {
    case '[':
      return typed.size() == 2 ? TypedKey{2, false} : control_sequence(typed);
    case 'O':
      return {std::min<std::size_t>(typed.size(), 3), false};
    case 'P':
    case 'X':
    case ']':
    case '^':
    case '_':
      return string_sequence(typed);
    case kEscape:
      return {1, false};
    default: {
      const TypedKey with_meta = first_key(typed.substr(1));
      return {with_meta.bytes == 0 ? 0 : with_meta.bytes + 1, false};
    }
  }
}

std::size_t first_line(std::string_view typed) {
  const std::size_t end = typed.find_first_of("\r\n\x04");
  const std::size_t most = std::min(typed.size(), kLongestTypedLine);
  return end == std::string_view::npos ? most : std::min(end + 1, most);
}

}  // namespace terminally
