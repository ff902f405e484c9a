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

/// Literal texts that are looked for all at once, in time linear in the text. Each has at least kLeastBytes.
class KnownValues {
 public:
  static constexpr std::size_t kLeastBytes = 8;
  /// A longer one is looked for in pieces of this size.
  static constexpr std::size_t kMostBytes = 4'096;

  using Found = std::function<void(std::size_t begin, std::size_t end, std::uint16_t kind)>;

  KnownValues() = default;
  KnownValues(const KnownValues& other);
  KnownValues& operator=(const KnownValues&) = delete;
  KnownValues(KnownValues&&) = default;
  KnownValues& operator=(KnownValues&&) = default;
  ~KnownValues() = default;

  /// Looks for `value` from now on: each of its lines, in hex and base64, and with any of its bytes as an
  /// escape of URLs, JSON, C or shells (unescaped.hpp). False when no line of it is long enough.
  bool add(std::string_view value, std::uint16_t kind);

  [[nodiscard]] bool empty() const { return needles_.empty(); }

  /// Every place where one begins, in order; of several that begin at one place the longest.
  void find(std::string_view text, const Found& found) const;

  /// How many of the last bytes of `text` may be the beginning of one, and of which.
  struct Beginning {
    std::size_t bytes = 0;
    std::uint16_t kind = 0;
  };
  [[nodiscard]] Beginning unfinished(std::string_view text) const;

 private:
  using Needles = std::map<std::string, std::uint16_t, std::less<>>;
  using Needle = Needles::value_type;

  bool add_literal(std::string_view literal, std::uint16_t kind);
  void find_as_it_is(std::string_view text, const Found& found) const;
  [[nodiscard]] Beginning unfinished_as_it_is(std::string_view text) const;
  [[nodiscard]] const Needle* longest_at(std::string_view rest) const;

  Needles needles_;
  std::size_t longest_ = 0;
  std::unordered_multimap<std::uint64_t, const Needle*> by_head_;  ///< the first 8 bytes
  std::bitset<65'536> heads_;
};

}  // namespace terminally
