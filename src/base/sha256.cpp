#include "base/sha256.hpp"

#include <algorithm>
#include <bit>

namespace terminally {
namespace {

using State = std::array<std::uint32_t, 8>;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoots = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word = word << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return word;
}

void take_block(State& state, const char* block) {
  std::array<std::uint32_t, 64> schedule;
  for (std::size_t i = 0; i < 16; ++i) {
    schedule[i] = word_at(block + 4 * i);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t near = schedule[i - 2];
    const std::uint32_t far = schedule[i - 15];
    schedule[i] = schedule[i - 16] + schedule[i - 7] + (std::rotr(far, 7) ^ std::rotr(far, 18) ^ far >> 3U) +
                  (std::rotr(near, 17) ^ std::rotr(near, 19) ^ near >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kRoots[i] + schedule[i];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const State round = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] += round[i];
  }
}

}  // namespace

void Sha256::update(std::string_view bytes) {
  const std::size_t held = bytes_ % kBlock;
  bytes_ += bytes.size();
  if (held != 0) {
    const std::string_view more = bytes.substr(0, kBlock - held);
    std::ranges::copy(more, block_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes.remove_prefix(more.size());
    if (held + more.size() < kBlock) {
      return;
    }
    take_block(state_, block_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    take_block(state_, &bytes.front());
  }
  std::ranges::copy(bytes, block_.begin());
}

std::string Sha256::hex() const {
  Sha256 end = *this;
  std::string padding(1 + (2 * kBlock - 1 - 8 - bytes_ % kBlock) % kBlock, '\0');
  padding[0] = '\x80';
  for (int shift = 56; shift >= 0; shift -= 8) {
    padding += static_cast<char>(bytes_ * 8 >> static_cast<unsigned>(shift) & 0xffU);
  }
  end.update(padding);
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : end.state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      text += kDigits[word >> static_cast<unsigned>(shift) & 0xfU];
    }
  }
  return text;
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

}  // namespace terminally
