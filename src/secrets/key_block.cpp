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

/// Goes through a key from `at` on, and sets `span.end`, where the hidden bytes end.
void go_through(std::string_view text, std::size_t at, bool at_line, SecretSpan& span, KeyState& state) {
  for (;;) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view rest = text.substr(at, line_end - at);
    if (const auto end = end_of_key(rest)) {
      span.end = at + *end;
      state.key_lines = 0;
      return;
    }
    if (at_line && (state.key_lines > kMostLinesOfKey || is_no_key(rest))) {
      span.end = at;
      span.newline_after = true;
      state.key_lines = 0;
      return;
    }
    if (line_end == text.size()) {
      span.end = line_end;
      return;
    }
    at = line_end + 1;
    at_line = true;
    ++state.key_lines;
    if (at == text.size()) {
      span.end = at;
      return;
    }
  }
}

}  // namespace

std::vector<SecretSpan> hide_keys(std::string_view text, bool begins_line,
                                  const std::vector<SecretSpan>& spans, KeyState& state) {
  std::vector<SecretSpan> all;
  all.reserve(spans.size());
  std::size_t hidden = 0;
  if (state.key_lines > 0 && !text.empty()) {
    SecretSpan key{.kind = SecretRules::kPrivateKey, .goes_on = true};
    go_through(text, 0, begins_line, key, state);
    hidden = key.end;
    all.push_back(key);
  }
  for (const SecretSpan& span : spans) {
    if (span.begin < hidden) {
      continue;
    }
    all.push_back(span);
    if (span.kind == SecretRules::kPrivateKey) {
      state.key_lines = 1;
      go_through(text, span.end, false, all.back(), state);
      hidden = all.back().end;
    }
  }
  return all;
}

}  // namespace terminally
