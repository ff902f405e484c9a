#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "text/pattern.hpp"

namespace terminally {

/// A part of a text that must not be shown.
struct SecretSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint16_t kind = 0;
  bool goes_on = false;        ///< continues the span before: no mask is shown in its place
  bool newline_after = false;  ///< the span hides a line's end, and shown text follows
};

/// The thirteen kinds of secrets that are recognized by their form: prefixes that nothing else has, and
/// places where nothing else stands. doc/redaction.md describes them.
class SecretRules {
 public:
  static constexpr std::size_t kCount = 13;
  static constexpr std::uint16_t kPrivateKey = 0;
  /// No match is longer. A rule without an end of its own matches to the end of the word, within this size.
  static constexpr std::size_t kMostBytes = 12'000;

  using Found = std::function<void(std::size_t begin, std::size_t end, std::uint16_t rule)>;

  SecretRules();

  [[nodiscard]] static std::string_view name(std::uint16_t rule);

  /// Finds every match in a text of many lines; no match goes beyond its line. Of a private key only the
  /// BEGIN mark matches. Takes time linear in the text; a line on which a rule takes too many steps counts as
  /// a match. `begins_line`: the text begins with a line, not within one.
  void find(std::string_view text, bool begins_line, const Found& found) const;

  /// Where in an unfinished line a secret begins that may not have ended; the line's size for none.
  struct Beginning {
    std::size_t begin = 0;
    std::uint16_t rule = 0;
  };
  [[nodiscard]] Beginning unfinished(std::string_view line, bool begins_line) const;

 private:
  struct Rule {
    Pattern whole;
    Pattern unfinished;  ///< matches the beginning of a secret at the end of a line
    std::string_view more;
  };

  void find_in_line(std::string_view line, bool begins_line, std::uint16_t rule, std::size_t offset,
                    const Found& found) const;

  std::vector<Rule> rules_;
};

/// A private key ends after this many lines, whatever they hold.
constexpr std::size_t kMostLinesOfKey = 200;

/// Extends each span where a private key begins to where the key ends: at its END, before a line that can be
/// no part of a key, or after kMostLinesOfKey. `in_key`: the text ends within a key.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, const std::vector<SecretSpan>& spans,
                                                bool& in_key);

}  // namespace terminally
