#pragma once

#include <cstddef>
#include <string_view>

namespace terminally {

/// How many bytes a text takes in a JSON message, where most controls take six ("\u001b") and a newline, a
/// tab, a quote or a backslash two. Budgets of answers count these bytes, which are sent. `text` is valid
/// UTF-8.
[[nodiscard]] std::size_t json_size(std::string_view text);

/// The longest prefix of `text` that takes at most `most` bytes as JSON; it ends between characters.
[[nodiscard]] std::string_view json_prefix(std::string_view text, std::size_t most);

}  // namespace terminally
