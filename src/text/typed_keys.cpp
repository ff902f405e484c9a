// Splits the bytes that a terminal sends into keys, pastes and the terminal's own answers.
#include "text/typed_keys.hpp"

#include <algorithm>

#include "base/one_of.hpp"
#include "base/utf8.hpp"
#include "text/csi.hpp"
#include "text/typed_text.hpp"

namespace terminally {
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
