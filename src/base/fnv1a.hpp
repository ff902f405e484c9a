#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace terminally {

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

}  // namespace terminally
