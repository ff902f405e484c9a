// Finds the last fraction or percentage in a program's output.
#include "text/seen_total.hpp"

#include <algorithm>
#include <charconv>

namespace terminally {
namespace {

/// No count of work has more digits. Of a longer text, only the last kLookBackBytes are searched.
constexpr std::size_t kLongestDigits = 9;
constexpr std::size_t kLookBackBytes = 2'048;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Characters that may not stand beside a count: they make it part of something else.
bool continues(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '.' ||
         c == '_' || c == '-' || c == ':' || c == '+' || c == '\\' || static_cast<unsigned char>(c) >= 0x80;
}

/// The same after a count, where a dot that ends a sentence or begins an ellipsis is no decimal point.
bool continues_after(std::string_view text, std::size_t at) {
  return at < text.size() && continues(text[at]) &&
         (text[at] != '.' || (at + 1 < text.size() && is_digit(text[at + 1])));
}

/// The digits that end at `end`; empty when there are none, or more than a count has.
std::string_view digits_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) {
    --begin;
  }
  return end - begin <= kLongestDigits ? text.substr(begin, end - begin) : std::string_view();
}

std::string_view digits_after(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - begin <= kLongestDigits ? text.substr(begin, end - begin) : std::string_view();
}

double number(std::string_view digits) {
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// Reads "45%" or "45.5%", with the sign at `at`.
std::optional<ProgressCount> percentage(std::string_view text, std::size_t at) {
  std::string_view digits = digits_before(text, at);
  std::size_t begin = at - digits.size();
  if (begin > 1 && !digits.empty() && text[begin - 1] == '.') {
    const std::string_view whole = digits_before(text, begin - 1);
    begin -= whole.empty() ? 0 : whole.size() + 1;
    digits = text.substr(begin, at - begin);
  }
  if (digits.empty() || (begin > 0 && continues(text[begin - 1])) || continues_after(text, at + 1) ||
      number(digits) > 100) {
    return std::nullopt;
  }
  return ProgressCount{number(digits), 100};
}

/// Reads "37/120", with the slash at `at`.
std::optional<ProgressCount> fraction(std::string_view text, std::size_t at) {
  const std::string_view done = digits_before(text, at);
  const std::string_view total = digits_after(text, at + 1);
  if (done.empty() || total.empty() || number(total) < 2 || number(done) > number(total)) {
    return std::nullopt;
  }
  const std::size_t begin = at - done.size();
  if ((begin > 0 && continues(text[begin - 1])) || continues_after(text, at + 1 + total.size())) {
    return std::nullopt;
  }
  return ProgressCount{number(done), number(total)};
}

}  // namespace

std::optional<ProgressCount> seen_total(std::string_view text) {
  text.remove_prefix(text.size() - std::min(text.size(), kLookBackBytes));
  for (std::size_t at = text.find_last_of("/%"); at != std::string_view::npos && at > 0;
       at = text.find_last_of("/%", at - 1)) {
    const auto seen = text[at] == '%' ? percentage(text, at) : fraction(text, at);
    if (seen) {
      return seen;
    }
  }
  return std::nullopt;
}

}  // namespace terminally
