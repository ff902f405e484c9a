#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// Standard base64 with padding (RFC 4648 section 4), no line breaks.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// Nothing for other text: another character, a line break, missing padding, stray bits at the end.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// FNV-1a of 64 bits: tells texts apart; not a cryptographic hash.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

/// The hash in 16 hexadecimal digits.
[[nodiscard]] inline std::string fnv1a_hex(std::string_view text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(text)));
  return digits;
}

/// SHA-256 (FIPS 180-4) of bytes that come in parts. A copy can be continued independently.
class Sha256 {
 public:
  Sha256() { crypto_hash_sha256_init(&state_); }

  void update(std::string_view bytes);

  /// The hash of all bytes so far, in lower-case hex; more bytes may follow.
  [[nodiscard]] std::string hex() const;

 private:
  crypto_hash_sha256_state state_{};
};

/// The hash of a whole text.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// Whether `text` is 64 lower-case hex digits.
[[nodiscard]] bool is_sha256(std::string_view text);

/// The checksum that cksum(1) of POSIX prints first.
[[nodiscard]] std::uint32_t posix_checksum(std::string_view bytes);

}  // namespace terminally
