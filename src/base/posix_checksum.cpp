#include "base/posix_checksum.hpp"

namespace terminally {
namespace {

std::uint32_t step(std::uint32_t sum, unsigned byte) {
  constexpr std::uint32_t kPolynomial = 0x04C11DB7;
  sum ^= byte << 24U;
  for (int bit = 0; bit < 8; ++bit) {
    sum = (sum << 1U) ^ ((sum & 0x80000000U) != 0 ? kPolynomial : 0U);
  }
  return sum;
}

}  // namespace

std::uint32_t posix_checksum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (const char c : bytes) {
    sum = step(sum, static_cast<unsigned char>(c));
  }
  for (std::size_t size = bytes.size(); size != 0; size >>= 8U) {
    sum = step(sum, size & 0xFFU);
  }
  return ~sum;
}

}  // namespace terminally
