#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace terminally {

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
