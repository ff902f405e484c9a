#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace terminally {

/// SHA-256 (FIPS 180-4) of bytes that come in parts. A copy goes on by itself.
class Sha256 {
 public:
  void update(std::string_view bytes);

  /// Of all bytes so far, in lower-case hex; more may follow.
  [[nodiscard]] std::string hex() const;

 private:
  static constexpr std::size_t kBlock = 64;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, kBlock> block_{};  ///< what is no whole block yet
  std::uint64_t bytes_ = 0;           ///< in all
};

/// Of a text that is there as a whole.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// Whether `text` is 64 lower-case hex digits.
[[nodiscard]] bool is_sha256(std::string_view text);

}  // namespace terminally
