#pragma once

#include <string_view>
#include <vector>

#include "secrets/secret_span.hpp"

namespace terminally {

/// A private key ends after this many lines, whatever they are.
constexpr std::size_t kMostLinesOfKey = 200;

/// Extends the spans where a private key begins to where it ends: at its END, before a line that can be no
/// part of one, or after kMostLinesOfKey. `in_key`: the text ends within one.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, const std::vector<SecretSpan>& spans,
                                                bool& in_key);

}  // namespace terminally
