// Base64 by libsodium, with a check for the bytes beyond ASCII that libsodium 1.0.18 accepts.
// Hashes by libsodium, whose SHA-256 and base64 need no sodium_init(), and checksums by Boost.CRC.

#include "base/digests.hpp"

#include <sodium/utils.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cstddef>

namespace terminally {

std::string encode_base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // a null
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t size = 0;
  // libsodium 1.0.18 takes some bytes of UTF-8 for digits.
  const bool ascii = std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
  if (!ascii ||
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

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
