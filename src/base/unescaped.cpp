#include "base/unescaped.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/utf8.hpp"

namespace terminally {
namespace {

constexpr std::size_t kLongestEscape = 6;

struct Escape {
  std::string bytes;
  std::size_t length = 1;  ///< of what was written
};

/// The number that exactly `count` digits are.
std::optional<std::uint32_t> number_of(std::string_view digits, std::size_t count, std::uint32_t base) {
  if (digits.size() < count) {
    return std::nullopt;
  }
  std::uint32_t number = 0;
  for (const char c : digits.substr(0, count)) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t digit = std::string_view("0123456789abcdef").find(lower);
    if (digit >= base) {
      return std::nullopt;
    }
    number = number * base + static_cast<std::uint32_t>(digit);
  }
  return number;
}

std::string byte(std::uint32_t number) {
  return std::string(1, static_cast<char>(number & 0xFFU));
}

Escape after_backslash(std::string_view text) {
  constexpr std::string_view kLetters = "abefnrtv";
  constexpr std::string_view kMeanings = "\a\b\x1b\f\n\r\t\v";
  const char letter = text[1];
  if (letter == 'u') {
    if (const auto number = number_of(text.substr(2), 4, 16)) {
      std::string bytes;
      append_utf8(bytes, *number);
      return {bytes, 6};
    }
  }
  if (letter == 'x') {
    if (const auto number = number_of(text.substr(2), 2, 16)) {
      return {byte(*number), 4};
    }
  }
  if (const auto number = number_of(text.substr(1), 3, 8)) {
    return {byte(*number), 4};
  }
  if (const std::size_t at = kLetters.find(letter); at != std::string_view::npos) {
    return {std::string(1, kMeanings[at]), 2};
  }
  return {std::string(1, letter), 2};
}

Escape first_of(std::string_view text) {
  if (text[0] == '%') {
    if (const auto number = number_of(text.substr(1), 2, 16)) {
      return {byte(*number), 3};
    }
  }
  if (text.starts_with("'\\''")) {
    return {"'", 4};
  }
  if (text[0] == '\\' && text.size() > 1) {
    return after_backslash(text);
  }
  return {std::string(1, text[0]), 1};
}

}  // namespace

Unescaped unescaped(std::string_view text) {
  Unescaped plain;
  plain.text.reserve(text.size());
  plain.places.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = text[at] == '\'' ? at : std::min(text.find_first_of("%\\'", at), text.size());
    for (; at < next; ++at) {
      plain.text += text[at];
      plain.places.push_back(at);
    }
    if (at < text.size()) {
      const Escape escape = first_of(text.substr(at));
      plain.text += escape.bytes;
      plain.places.insert(plain.places.end(), escape.bytes.size(), at);
      at += escape.length;
    }
  }
  plain.places.push_back(text.size());
  return plain;
}

std::size_t unfinished_escape(std::string_view text) {
  const auto all = [](std::string_view digits, std::string_view of) {
    return digits.find_first_not_of(of) == std::string_view::npos;
  };
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (std::size_t size = std::min(text.size(), kLongestEscape - 1); size > 0; --size) {
    const std::string_view last = text.substr(text.size() - size);
    const std::string_view rest = last.substr(std::min<std::size_t>(size, 2));
    const char letter = size > 1 ? last[1] : 'u';
    const bool percent = last[0] == '%' && size < 3 && all(last.substr(1), kHex);
    const bool backslash = last[0] == '\\' && ((letter == 'u' && all(rest, kHex)) ||
                                               (letter == 'x' && size < 4 && all(rest, kHex)) ||
                                               (size < 4 && all(last.substr(1), "01234567")));
    if (percent || backslash || (last[0] == '\'' && std::string_view("'\\'").starts_with(last))) {
      return size;
    }
  }
  return 0;
}

}  // namespace terminally
