#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

enum class Utf8Kind {
  valid,       ///< one whole character
  invalid,     ///< a maximal invalid part: shown as one U+FFFD
  incomplete,  ///< the text ends inside what may still become a character
};

/// The first part of a text, and how many bytes (1 to 4) it takes.
struct Utf8Part {
  Utf8Kind kind;
  std::size_t bytes;
};

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  ///< U+FFFD

/// The first part of `text`, which must not be empty. Well-formed is what the Unicode Standard's table 3-7
/// lists (no overlongs, no surrogates, nothing above U+10FFFF); invalid parts are its "maximal subparts", as
/// in WHATWG's decoder: F0 9F 41 is one invalid part of two bytes and an A.
[[nodiscard]] Utf8Part first_utf8_part(std::string_view text);

/// How many bytes at the start of `text` are ASCII.
[[nodiscard]] std::size_t ascii_prefix(std::string_view text);

/// Each maximal invalid part becomes U+FFFD; valid text comes back as it is.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);
[[nodiscard]] bool is_valid_utf8(std::string_view text);

/// Appends one character; U+FFFD for what is no character (a surrogate, above U+10FFFF).
void append_utf8(std::string& text, char32_t character);

/// The halves of a pair in UTF-16; alone they are no characters.
[[nodiscard]] constexpr bool is_high_surrogate(char32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
[[nodiscard]] constexpr bool is_low_surrogate(char32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}
/// The character that such a pair stands for.
[[nodiscard]] constexpr char32_t character_of_pair(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00);
}

/// How many bytes (0 to 3) at the end of `text` may be the start of a character whose rest is still to come.
/// A chunk that is cut before them ends on a character border.
[[nodiscard]] std::size_t incomplete_utf8_suffix(std::string_view text);

/// At most the first `most` bytes, cut before a character that would not be whole.
[[nodiscard]] std::string_view whole_characters(std::string_view text, std::size_t most);

/// What stands where a text was cut.
inline constexpr std::string_view kCutMark = "\xE2\x80\xA6";

/// As whole_characters, with kCutMark at the end where something was cut: how a long text is shown.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

/// At most the first `most` bytes. A word that would be cut is left out, unless it is the first one: half of
/// a secret would not be recognized.
[[nodiscard]] std::string_view whole_words(std::string_view text, std::size_t most);

/// Whether `text` has a C0 control (tab and newline included), DEL, or a C1 control as UTF-8 (U+0080 to
/// U+009F).
[[nodiscard]] bool has_control_characters(std::string_view text);

/// Whether the bytes are no text: they have a NUL, or more than 16 bytes and a tenth of them are no UTF-8.
[[nodiscard]] bool looks_binary(std::string_view bytes);

}  // namespace terminally
