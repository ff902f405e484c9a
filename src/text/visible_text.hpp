#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Names characters that a reader would not see, or be misled by: controls other than tab and newline,
/// changes of the text's direction, characters without width, tags. U+202E is shown as ⟨U+202E⟩. Any split of
/// a text gives the same result, and a second pass changes nothing.
///
/// These stay where they are ordinary writing: a zero-width joiner within an emoji or between letters of
/// scripts that join, a non-joiner between such letters, a variation selector after a character that has such
/// variants. Input is UTF-8; invalid parts become U+FFFD.
class VisibleText {
 public:
  void feed(std::string_view text, std::string& out);
  /// Ends the text. The object is ready for another one then.
  void finish(std::string& out);

 private:
  bool character(char32_t c, std::string_view bytes, std::string_view rest, bool is_end, std::string& out);
  void take(bool is_end, std::string& out);

  std::string held_;
  char32_t base_ = 0;  ///< the character before, variation selectors and skin tones not counted
  char32_t previous_ = 0;
};

/// Does this for a whole text.
[[nodiscard]] std::string visible_text(std::string_view text);

}  // namespace terminally
