#pragma once

#include <cstddef>
#include <string_view>

namespace terminally {

/// How many bytes a text takes within a JSON message, where a control is six ("\u001b") and a newline, a tab,
/// a quote or a backslash two. Budgets of answers count these: they are what is sent. `text` is valid UTF-8.
[[nodiscard]] std::size_t json_size(std::string_view text);

/// The longest beginning of `text` that takes at most `most` bytes as JSON; ends between characters.
[[nodiscard]] std::string_view json_prefix(std::string_view text, std::size_t most);

}  // namespace terminally
