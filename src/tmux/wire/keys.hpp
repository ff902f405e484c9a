#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// One key as tmux names it, from what a caller wrote: "C-c", "M-x", "S-Up", "F5", "Enter", "a", "é". Names
/// are case-insensitive; "Esc", "Backspace", "Return", "Delete" and "Insert" are taken, too. Throws
/// Error(invalid_argument) that says what is allowed. Every key that is taken sends something: what a
/// terminal has no code for (C-Tab, S-a) is refused.
[[nodiscard]] std::string tmux_key(std::string_view key);

/// `send-keys` of these, in tmux's command language. Throws as tmux_key, and names the place of the key.
[[nodiscard]] std::string send_keys_command(std::string_view target, const std::vector<std::string>& keys);

}  // namespace terminally
