#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace terminally {

/// Finds literal texts, all at once, in time linear in the text. Each has at least kLeastBytes.
class LiteralSet {
 public:
  static constexpr std::size_t kLeastBytes = 8;
  /// A longer literal is searched for in pieces of this size.
  static constexpr std::size_t kMostBytes = 4'096;

  using Found = std::function<void(std::size_t begin, std::size_t end, std::uint16_t kind)>;

  LiteralSet() = default;
  LiteralSet(const LiteralSet& other);
  LiteralSet& operator=(const LiteralSet&) = delete;
  LiteralSet(LiteralSet&&) = default;
  LiteralSet& operator=(LiteralSet&&) = default;
  ~LiteralSet() = default;

  /// False when the literal is too short.
  bool add(std::string_view literal, std::uint16_t kind);

  [[nodiscard]] bool empty() const { return literals_.empty(); }
  /// The size of the longest literal.
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// The kind of one literal, whichever; not for an empty set.
  [[nodiscard]] std::uint16_t any_kind() const { return literals_.begin()->second; }

  /// Finds every place where a literal begins, in order; of several that begin at one place the longest.
  void find(std::string_view text, const Found& found) const;

  /// How many of the last bytes of `text` may be the beginning of a literal, and the literal's kind.
  struct Beginning {
    std::size_t bytes = 0;
    std::uint16_t kind = 0;
  };
  [[nodiscard]] Beginning unfinished(std::string_view text) const;

 private:
  using Literals = std::map<std::string, std::uint16_t, std::less<>>;
  using Literal = Literals::value_type;

  [[nodiscard]] const Literal* longest_at(std::string_view rest) const;

  Literals literals_;
  std::size_t longest_ = 0;
  std::unordered_multimap<std::uint64_t, const Literal*> by_head_;  ///< by the first 8 bytes
  std::bitset<65'536> heads_;
};

class EscapeLevels;

/// Finds named values, plain or encoded, all at once, in time linear in the text.
class KnownValues {
 public:
  static constexpr std::size_t kLeastBytes = LiteralSet::kLeastBytes;

  /// Where a value stands in a text. `goes_on`: the value began on a line before.
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint16_t kind = 0;
    bool goes_on = false;
  };
  using Found = std::function<void(const Place&)>;

  /// Looks for `value` from now on: each of its lines, its hex (of either case) and base64, with any of its
  /// bytes escaped once or twice as in URLs, JSON, C or shells (unescaped.hpp), and all of these wrapped into
  /// lines. False when no line of `value` is long enough.
  bool add(std::string_view value, std::uint16_t kind);

  [[nodiscard]] bool empty() const { return literals_.empty(); }

  /// Finds every place of a value; a value across lines has a place in each line.
  void find(std::string_view text, const Found& found) const;

  /// How many of the last bytes of `text`, of any number of lines, may be the beginning of a value, how many
  /// letters of the value they are, and the value's kind.
  struct Beginning {
    std::size_t bytes = 0;
    std::size_t letters = 0;
    std::uint16_t kind = 0;
  };
  [[nodiscard]] Beginning unfinished(std::string_view text) const;

 private:
  bool add_literal(std::string_view literal, std::uint16_t kind);
  /// The most bytes of a place: a twice-escaped byte takes at most 12, and wrapped lines have indents.
  [[nodiscard]] std::size_t most_bytes() const;
  [[nodiscard]] std::size_t most_letters() const;
  void find_bare(const EscapeLevels& levels, const LiteralSet::Found& found) const;
  void find_hex(std::string_view text, const LiteralSet::Found& found) const;
  [[nodiscard]] Beginning unfinished_in(const EscapeLevels& levels) const;

  LiteralSet literals_;
  LiteralSet bare_;  ///< the same literals, for texts that are wrapped into lines, or quoted
  LiteralSet hex_;
};

}  // namespace terminally
