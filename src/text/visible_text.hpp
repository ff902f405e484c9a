#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Shows what a reader would not see, or be misled by: controls other than tab and newline, what changes the
/// direction of text, characters without width, tags. U+202E is shown as ⟨U+202E⟩. Any split of a text gives
/// the same result, and doing it again changes nothing.
///
/// Left as they are where they are ordinary writing: a zero-width joiner within an emoji or between letters
/// of scripts that join, a non-joiner between such letters, a variation selector after a character that has
/// such variants. Input is UTF-8; what is not becomes U+FFFD.
class VisibleText {
 public:
  void feed(std::string_view text, std::string& out);
  /// The text ends here. Ready for another one.
  void finish(std::string& out);

 private:
  bool character(char32_t c, std::string_view bytes, std::string_view rest, bool is_end, std::string& out);
  void take(bool is_end, std::string& out);

  std::string held_;
  char32_t base_ = 0;  ///< the character before, variation selectors and skin tones not counted
  char32_t previous_ = 0;
};

/// A whole text.
[[nodiscard]] std::string visible_text(std::string_view text);

}  // namespace terminally
