#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace terminally::fuzz {

/// What must hold for every input: where it does not, the fuzzer keeps the input and says `what`.
inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};  // NOLINT(*-reinterpret-cast)
}

/// Takes one byte off the front, to choose a variant by; 0 when there is none.
inline unsigned take_byte(std::string_view& input) {
  if (input.empty()) {
    return 0;
  }
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

/// `text` in pieces. Which, is decided by `seed`: byte by byte, or of 1 to 7, 64 or 1000 bytes, as if at
/// random.
inline std::vector<std::string_view> pieces(std::string_view text, unsigned seed) {
  static constexpr std::size_t kLongest[] = {1, 7, 64, 1000};
  std::vector<std::string_view> result;
  for (std::uint32_t state = seed * 2654435761U + 1; !text.empty(); state = state * 1664525U + 1013904223U) {
    result.push_back(text.substr(0, 1 + (state >> 16U) % kLongest[seed % 4]));
    text.remove_prefix(result.back().size());
  }
  return result;
}

/// Only what a reader of stripped text may see: no control character but tab and newline, none of C1.
inline bool is_plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if ((c < 32 && c != '\t' && c != '\n') || c == 127 || c1) {
      return false;
    }
  }
  return true;
}

}  // namespace terminally::fuzz

/// libFuzzer's entry.
// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
