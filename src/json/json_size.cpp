// Counts the bytes that a text takes as a JSON string.
#include "json/json_size.hpp"

#include <numeric>

namespace terminally {
namespace {

std::size_t json_size_of(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '\b':
    case '\f':
    case '\n':
    case '\r':
    case '\t':
      return 2;
    default:
      return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
  }
}

}  // namespace

std::size_t json_size(std::string_view text) {
  return std::accumulate(text.begin(), text.end(), std::size_t{0},
                         [](std::size_t size, char c) { return size + json_size_of(c); });
}

std::string_view json_prefix(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t size = 0; end < text.size() && (size += json_size_of(text[end])) <= most;) {
    ++end;
  }
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace terminally
