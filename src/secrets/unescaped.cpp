// Undoes the escapes of URLs, JSON, C, XML and shells, and keeps only the text around them.
#include "secrets/unescaped.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/utf8.hpp"
#include "secrets/readings.hpp"

namespace terminally {
namespace {

/// A pair of surrogates.
constexpr std::size_t kLongestEscape = 12;
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

struct Escape {
  std::string bytes;
  std::size_t length = 1;  ///< of the escape as it was written
};

/// The number that the first `count` characters write; nothing where one of them is no digit.
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

std::string character(std::uint32_t number) {
  std::string bytes;
  append_utf8(bytes, number);
  return bytes;
}

/// Reads digits up to and including `end`, as in `\u{2f}`, `&#47;` and `&#x2f;`.
Escape number_up_to(std::string_view text, std::size_t from, char end, std::uint32_t base) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t after = text.substr(0, from + kMostDigits + 1).find(end, from);
  if (after == std::string_view::npos || after == from) {
    return {};
  }
  const auto number = number_of(text.substr(from), after - from, base);
  return number ? Escape{character(*number), after + 1} : Escape{};
}

/// Reads \u002f, a pair of surrogates, or \u{2f}.
Escape after_backslash_u(std::string_view text) {
  constexpr std::size_t kLength = 6;
  const auto number = number_of(text.substr(2), 4, 16);
  if (!number) {
    return text.substr(2).starts_with('{') ? number_up_to(text, 3, '}', 16) : Escape{};
  }
  if (is_high_surrogate(*number) && text.substr(kLength).starts_with("\\u")) {
    const auto low = number_of(text.substr(kLength + 2), 4, 16);
    if (low && is_low_surrogate(*low)) {
      return {character(character_of_pair(*number, *low)), 2 * kLength};
    }
  }
  return {character(*number), kLength};
}

Escape after_backslash(std::string_view text) {
  constexpr std::string_view kLetters = "abefnrtv";
  constexpr std::string_view kMeanings = "\a\b\x1b\f\n\r\t\v";
  const char letter = text[1];
  if (letter == 'u') {
    if (Escape escape = after_backslash_u(text); !escape.bytes.empty()) {
      return escape;
    }
  }
  if (letter == 'U') {
    if (const auto number = number_of(text.substr(2), 8, 16)) {
      return {character(*number), 10};
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

/// Reads an entity of XML: &quot; or &#39;.
Escape after_ampersand(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNames = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  for (const auto& [name, meaning] : kNames) {
    if (text.starts_with(name)) {
      return {std::string(1, meaning), name.size()};
    }
  }
  if (text.starts_with("&#")) {
    const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    return number_up_to(text, is_hex ? 3 : 2, ';', is_hex ? 16 : 10);
  }
  return {};
}

/// Reads a single quote of shells within single quotes: '\'' or '"'"'.
Escape after_quote(std::string_view text) {
  if (text.starts_with("'\\''")) {
    return {"'", 4};
  }
  if (text.starts_with("'\"'")) {
    const std::size_t end = text.find_first_not_of('\'', 2);
    if (end != std::string_view::npos && text.substr(end).starts_with("\"'")) {
      return {std::string(end - 2, '\''), end + 2};
    }
  }
  return {};
}

/// Reads $'\n' in the middle of a word.
Escape after_dollar(std::string_view text) {
  constexpr std::size_t kMostBytes = 64;
  std::string bytes;
  std::size_t at = 2;
  while (text.starts_with("$'") && at + 1 < std::min(text.size(), kMostBytes) && text[at] == '\\' &&
         text[at + 1] != '\n') {
    const Escape escape = after_backslash(text.substr(at));
    bytes += escape.bytes;
    at += escape.length;
  }
  return at > 2 && text.substr(std::min(at, text.size())).starts_with('\'') ? Escape{bytes, at + 1}
                                                                            : Escape{};
}

Escape first_of(std::string_view text) {
  Escape escape;
  if (text[0] == '\\' && text.size() > 1) {
    escape = after_backslash(text);
  } else if (text[0] == '%') {
    const bool is_u = text.substr(1).starts_with('u');
    const auto number = number_of(text.substr(is_u ? 2 : 1), is_u ? 4 : 2, 16);
    escape = !number ? Escape{} : is_u ? Escape{character(*number), 6} : Escape{byte(*number), 3};
  } else if (text[0] == '&') {
    escape = after_ampersand(text);
  } else if (text[0] == '\'') {
    escape = after_quote(text);
  } else if (text[0] == '$') {
    escape = after_dollar(text);
  }
  return escape.bytes.empty() ? Escape{std::string(1, text[0]), 1} : escape;
}

constexpr std::array<bool, 256> kBeginsEscape = [] {
  std::array<bool, 256> begins{};
  for (const char c : std::string_view("%\\&'$")) {
    begins.at(static_cast<unsigned char>(c)) = true;
  }
  return begins;
}();

bool begins_escape(char c) {
  return kBeginsEscape[static_cast<unsigned char>(c)];
}

bool is_all(std::string_view digits, std::string_view of) {
  return digits.find_first_not_of(of) == std::string_view::npos;
}

bool may_begin_backslash(std::string_view last) {
  const std::string_view rest = last.substr(std::min<std::size_t>(last.size(), 2));
  const char letter = last.size() > 1 ? last[1] : 'u';
  if (letter == 'u') {
    const auto first = number_of(rest, 4, 16);
    const bool half_a_pair =
        first && is_high_surrogate(*first) &&
        (rest.size() < 6 ? std::string_view("\\u").starts_with(rest.substr(4))
                         : rest.substr(4).starts_with("\\u") && is_all(rest.substr(6), kHex));
    return (rest.size() < 4 && is_all(rest, kHex)) || half_a_pair ||
           (rest.starts_with('{') && is_all(rest.substr(1), kHex));
  }
  return (letter == 'U' && last.size() < 10 && is_all(rest, kHex)) ||
         (letter == 'x' && last.size() < 4 && is_all(rest, kHex)) ||
         (last.size() < 4 && is_all(last.substr(1), "01234567"));
}

bool may_begin_escape(std::string_view last) {
  switch (last[0]) {
    case '%':
      return (last.size() < 3 && is_all(last.substr(1), kHex)) ||
             (last.size() < 6 && last.substr(1).starts_with('u') && is_all(last.substr(2), kHex));
    case '\\':
      return may_begin_backslash(last);
    case '&':
      return last.size() < 9 && is_all(last.substr(1), "#0123456789abcdefABCDEFxXmpltgquos");
    case '\'':
      return std::string_view("'\\'").starts_with(last) || std::string_view("'\"'\"").starts_with(last);
    default:
      return false;
  }
}

}  // namespace

/// Collects the meanings of escapes and the text around them; a NUL, which no value has, marks omitted text.
class EscapeLevels::Around {
 public:
  Around(std::string_view text, std::size_t reach) : text_(text), reach_(reach) {}

  void escape(std::size_t at, const Escape& escape) {
    if (plain_.text.empty()) {  // for a text full of escapes, where growing would cost an eighth of the time
      plain_.text.reserve(text_.size());
      plain_.places.reserve(text_.size() + 1);
    }
    go_on(at);
    std::size_t from = at;
    for (std::size_t left = reach_; left > 0 && from > copied_; left -= is_letter(text_[from]) ? 1 : 0) {
      --from;
    }
    if (from > copied_) {
      push('\0', copied_);
    }
    for (copied_ = from; copied_ < at; ++copied_) {
      push(text_[copied_], copied_);
    }
    for (const char c : escape.bytes) {
      push(c, at);
    }
    copied_ = at + escape.length;
    left_ = reach_;
  }

  [[nodiscard]] Unescaped take(std::size_t end) {
    if (!plain_.text.empty()) {
      go_on(end);
      if (copied_ < end) {
        push('\0', copied_);
      }
    }
    plain_.places.push_back(end);
    return std::move(plain_);
  }

 private:
  /// Copies text after the last escape, up to `reach_` letters.
  void go_on(std::size_t end) {
    for (; left_ > 0 && copied_ < end; ++copied_) {
      push(text_[copied_], copied_);
      left_ -= is_letter(text_[copied_]) ? 1 : 0;
    }
  }

  void push(char c, std::size_t at) {
    plain_.text += c;
    plain_.places.push_back(at);
  }

  const std::string_view text_;
  const std::size_t reach_;
  std::size_t copied_ = 0;
  std::size_t left_ = 0;  ///< how many letters are still to be copied
  Unescaped plain_;
};

std::size_t unfinished_escape(std::string_view text) {
  for (std::size_t size = std::min(text.size(), kLongestEscape - 1); size > 0; --size) {
    if (may_begin_escape(text.substr(text.size() - size))) {
      return size;
    }
  }
  return 0;
}

bool EscapeLevels::next(bool goes_on) {
  if (level_ == kMost) {
    return false;
  }
  const std::size_t whole = text_.size() - (goes_on ? unfinished_escape(text_) : 0);
  Around around(text_, reach_);
  bool any = whole < text_.size();
  for (std::size_t at = 0; at < whole;) {
    const Escape escape = begins_escape(text_[at]) ? first_of(text_.substr(at)) : Escape{};
    if (escape.length > 1) {
      around.escape(at, escape);
      any = true;
    }
    at += escape.length;
  }
  if (whole < text_.size()) {
    around.escape(whole, {"", 0});
  }
  if (!any) {
    return false;
  }
  Unescaped plain = around.take(whole);
  for (std::size_t& at : plain.places) {
    at = place(at);
  }
  plain_ = std::move(plain);
  text_ = plain_.text;
  ++level_;
  return true;
}

}  // namespace terminally
