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

}  // namespace terminally
