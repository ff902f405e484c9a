// Hashes by libsodium, whose SHA-256 and base64 need no sodium_init(), and checksums by Boost.CRC.
#include "base/hash.hpp"

#include <sodium/utils.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cstddef>

namespace terminally {

void Sha256::update(std::string_view bytes) {
  crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string Sha256::hex() const {
  crypto_hash_sha256_state end = state_;
  std::array<unsigned char, crypto_hash_sha256_BYTES> sum;
  crypto_hash_sha256_final(&end, sum.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text;
  return sodium_bin2hex(text.data(), text.size(), sum.data(), sum.size());
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.update(bytes);
  return sum.hex();
}

bool is_sha256(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, is_digit);
}

std::uint32_t posix_checksum(std::string_view bytes) {
  boost::crc_optimal<32, 0x04C11DB7, 0, 0xFFFFFFFF> sum;
  sum.process_bytes(bytes.data(), bytes.size());
  for (std::size_t size = bytes.size(); size != 0; size >>= 8U) {
    sum.process_byte(size & 0xFFU);
  }
  return sum.checksum();
}

}  // namespace terminally
