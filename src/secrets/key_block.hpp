#pragma once

#include <string_view>
#include <vector>

#include "secrets/secret_span.hpp"

namespace terminally {

/// What a text leaves to the text that follows it.
struct KeyState {
  std::size_t key_lines = 0;  ///< 0: in no private key; else how many of its lines have begun
  bool operator==(const KeyState&) const = default;
};

/// A private key ends after this many lines, whatever they are.
constexpr std::size_t kMostLinesOfKey = 200;

/// Extends the spans where a private key begins to where it ends: at its END, before a line that can be no
/// part of one, or after kMostLinesOfKey. `text` begins with a line, or within the one that `state` is from.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, bool begins_line,
                                                const std::vector<SecretSpan>& spans, KeyState& state);

}  // namespace terminally
