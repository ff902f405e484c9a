#pragma once

#include <string_view>
#include <vector>

#include "secrets/secret_span.hpp"

namespace terminally {

/// Whether a text ends within a private key: passed on to the text that follows.
struct KeyState {
  std::size_t key_lines = 0;  ///< 0: in no key; else how many lines of the key have begun
  bool operator==(const KeyState&) const = default;
};

/// A private key ends after this many lines, whatever they hold.
constexpr std::size_t kMostLinesOfKey = 200;

/// Extends each span where a private key begins to where the key ends: at its END, before a line that can be
/// no part of a key, or after kMostLinesOfKey. `begins_line`: `text` begins with a line, not within that of
/// `state`.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, bool begins_line,
                                                const std::vector<SecretSpan>& spans, KeyState& state);

}  // namespace terminally
