#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// One word of tmux's command language that stands for these bytes (no NUL), exactly: in double quotes, with
/// what is special there or not printable as an octal escape. In single quotes, tmux joins lines and drops
/// what looks like a comment.
[[nodiscard]] std::string quote(std::string_view text);

[[nodiscard]] std::string quote_all(const std::vector<std::string>& words);

/// For an argument that tmux expands as a format (new-window -n and -c, rename-window): `#` doubled. Not
/// quoted.
[[nodiscard]] std::string format_literal(std::string_view text);

}  // namespace terminally
