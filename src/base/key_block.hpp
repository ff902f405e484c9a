#pragma once

#include <string_view>
#include <vector>

#include "base/secrets.hpp"

namespace terminally {

/// Extends the spans where a private key begins to where it ends: at its END, before a line that can be no
/// part of one, or after kMostKeyLines. `text` begins with a line, or within the one that `state` is from.
[[nodiscard]] std::vector<SecretSpan> hide_keys(std::string_view text, bool begins_line,
                                                const std::vector<SecretSpan>& spans, Secrets::State& state);

}  // namespace terminally
