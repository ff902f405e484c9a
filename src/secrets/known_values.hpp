#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "secrets/literal_set.hpp"

namespace terminally {

class EscapeLevels;

/// Named values, and what encoders make of them: looked for all at once, in time linear in the text.
class KnownValues {
 public:
  static constexpr std::size_t kLeastBytes = LiteralSet::kLeastBytes;

  /// A place of one; `goes_on`: with what began on a line before.
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint16_t kind = 0;
    bool goes_on = false;
  };
  using Found = std::function<void(const Place&)>;

  /// Looks for `value` from now on: each of its lines, in hex (of either case) and base64, with any of its
  /// bytes as an escape of URLs, JSON, C or shells (unescaped.hpp), twice escaped, too, and all that wrapped
  /// into lines. False when no line of it is long enough.
  bool add(std::string_view value, std::uint16_t kind);

  [[nodiscard]] bool empty() const { return literals_.empty(); }

  /// Every place of one; a value across lines has a place in each.
  void find(std::string_view text, const Found& found) const;

  /// How many of the last bytes of `text`, of any number of lines, may be the beginning of one, how many of
  /// its letters these are, and of which.
  struct Beginning {
    std::size_t bytes = 0;
    std::size_t letters = 0;
    std::uint16_t kind = 0;
  };
  [[nodiscard]] Beginning unfinished(std::string_view text) const;

 private:
  bool add_literal(std::string_view literal, std::uint16_t kind);
  /// A place takes no more: an escape of an escape at most 12 bytes for one, and wrapped lines their indents.
  [[nodiscard]] std::size_t most_bytes() const;
  [[nodiscard]] std::size_t most_letters() const;
  void find_bare(const EscapeLevels& levels, const LiteralSet::Found& found) const;
  void find_hex(std::string_view text, const LiteralSet::Found& found) const;
  [[nodiscard]] Beginning unfinished_in(const EscapeLevels& levels) const;

  LiteralSet literals_;
  LiteralSet bare_;  ///< the same, for texts that are wrapped into lines, or quoted
  LiteralSet hex_;
};

}  // namespace terminally
