#pragma once

#include <string_view>
#include <vector>

#include "secrets/secret_span.hpp"

namespace terminally {

/// A private key ends after this many lines, whatever they hold.
constexpr std::size_t kMostLinesOfKey = 200;

/// Extends each span where a private key begins to where the key ends: at its END, before a line that can be
/// no part of a key, or after kMostLinesOfKey. `in_key`: the text ends within a key.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, const std::vector<SecretSpan>& spans,
                                                bool& in_key);

}  // namespace terminally
