// Extends the spans of private keys, from each BEGIN line to the place where the key ends.
#include "secrets/key_block.hpp"
#include "secrets/secret_rules.hpp"

#include <algorithm>
#include <optional>

namespace terminally {
namespace {

/// Whether a line is no part of a key: it has several words, all short, and is no header ("DEK-Info: …"). A
/// key's line behind a line number or an indent still has one long word.
bool is_no_key(std::string_view line) {
  constexpr std::size_t kShortWord = 20;
  constexpr std::string_view kSpace = " \t\r";
  std::size_t words = 0;
  for (std::size_t at = line.find_first_not_of(kSpace); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (word.size() > kShortWord || (words == 0 && word.size() > 1 && word.ends_with(':'))) {
      return false;
    }
    ++words;
    at = line.find_first_not_of(kSpace, end);
  }
  return words > 1;
}

/// Where the mark of the END line ends in the rest of a line.
std::optional<std::size_t> end_of_key(std::string_view rest) {
  constexpr std::string_view kEnd = "-----END";
  constexpr std::string_view kDashes = "-----";
  const std::size_t begin = rest.find(kEnd);
  const std::size_t end = begin == std::string_view::npos ? begin : rest.find(kDashes, begin + kEnd.size());
  return end == std::string_view::npos ? std::nullopt : std::optional(end + kDashes.size());
}

/// Goes through a key whose first line has begun before `span.end`, and moves that to where it ends. Returns
/// whether the text ends within it.
bool go_through(std::string_view text, SecretSpan& span) {
  std::size_t at = span.end;
  for (std::size_t lines = 1;; ++lines) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view rest = text.substr(at, line_end - at);
    if (const auto end = end_of_key(rest)) {
      span.end = at + *end;
      return false;
    }
    if (lines > 1 && (lines > kMostLinesOfKey || is_no_key(rest))) {
      span.end = at;
      span.newline_after = true;
      return false;
    }
    at = std::min(line_end + 1, text.size());
    if (at == text.size()) {
      span.end = at;
      return true;
    }
  }
}

}  // namespace

std::vector<SecretSpan> hide_keys(std::string_view text, const std::vector<SecretSpan>& spans, bool& in_key) {
  std::vector<SecretSpan> all;
  all.reserve(spans.size());
  std::size_t hidden = 0;
  for (const SecretSpan& span : spans) {
    if (span.begin < hidden) {
      continue;
    }
    all.push_back(span);
    if (span.kind == SecretRules::kPrivateKey) {
      in_key = go_through(text, all.back());
      hidden = all.back().end;
    }
  }
  return all;
}

}  // namespace terminally
