#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// How many of the last bytes may be an unfinished escape.
[[nodiscard]] std::size_t unfinished_escape(std::string_view text);

/// Reads a text on up to three levels: as it is, unescaped, and unescaped twice, because it may have been
/// escaped twice. An unescaped level has only the text around escapes: the level before had the rest.
///
/// Escapes of any character: %2F, %u002f, \u002f (and pairs of surrogates), \u{2f}, \U0000002f, \x2f, \057,
/// \n, a backslash before any other character, &quot; &#39; &#x27;, and '\'', '"'"', $'\n' of shells.
class EscapeLevels {
 public:
  /// `reach`: how many letters (is_letter) on each side of an escape are kept.
  EscapeLevels(std::string_view text, std::size_t reach) : text_(text), reach_(reach) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Where the byte at `at` of this level, or its end, stands in the original text.
  [[nodiscard]] std::size_t place(std::size_t at) const { return level_ == 0 ? at : plain_.places[at]; }

  /// Whether the original of this level's text from `first` to `after` had an escape.
  [[nodiscard]] bool escaped(std::size_t first, std::size_t after) const {
    return place(after) - place(first) != after - first;
  }

  /// Goes to the next level. False: there is none.
  [[nodiscard]] bool next() { return next(false); }
  /// As `next`, but leaves out half an escape at the text's end.
  [[nodiscard]] bool next_without_half_an_escape() { return next(true); }

 private:
  class Around;
  struct Unescaped {
    std::string text;
    std::vector<std::size_t> places;  ///< where each byte of `text` begins in the original; then the end
  };

  static constexpr int kMost = 2;

  bool next(bool goes_on);

  std::string_view text_;
  std::size_t reach_;
  int level_ = 0;
  Unescaped plain_;
};

}  // namespace terminally
