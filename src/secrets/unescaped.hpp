#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// How many of the last bytes may be an escape that is not whole.
[[nodiscard]] std::size_t unfinished_escape(std::string_view text);

/// A text as it is, then without its escapes, then without those that are left: what was escaped may have
/// been escaped once more. Without escapes, only what is around them is left: the rest was read before.
///
/// Escapes are %2F, %u002f, \u002f (and pairs of surrogates), \u{2f}, \U0000002f, \x2f, \057, \n, a backslash
/// before any other character, &quot; &#39; &#x27;, and '\'', '"'"', $'\n' of shells. Whoever wrote it may
/// have escaped any character.
class EscapeLevels {
 public:
  /// `reach`: how many letters (is_letter) on each side of an escape are left.
  EscapeLevels(std::string_view text, std::size_t reach) : text_(text), reach_(reach) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Where the byte at `at`, or the end, stands in the text as it is.
  [[nodiscard]] std::size_t place(std::size_t at) const { return level_ == 0 ? at : plain_.places[at]; }

  /// Whether an escape was in what is now the text from `first` to `after`.
  [[nodiscard]] bool escaped(std::size_t first, std::size_t after) const {
    return place(after) - place(first) != after - first;
  }

  /// To the next one, if there is any.
  [[nodiscard]] bool next() { return next(false); }
  /// The same, where the text's end may be half an escape: that is left out.
  [[nodiscard]] bool next_without_half_an_escape() { return next(true); }

 private:
  class Around;
  struct Unescaped {
    std::string text;
    std::vector<std::size_t> places;  ///< where each byte of `text` begins in the original; one more: its end
  };

  static constexpr int kMost = 2;

  bool next(bool goes_on);

  std::string_view text_;
  std::size_t reach_;
  int level_ = 0;
  Unescaped plain_;
};

}  // namespace terminally
