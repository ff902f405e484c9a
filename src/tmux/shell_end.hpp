#pragma once

#include <string>

#include "tmux/tab.hpp"

namespace terminally {

/// Why a closed tab has no shell any more, as the rest of a sentence that names it: "is closed: its shell
/// ended with …". Without what it printed where it is not known how it ended.
[[nodiscard]] std::string why_closed(const Tab& tab);

/// Throws Error(busy) when the tab's shell ended before its first prompt and another was started: once,
/// before anything is run in that. One that ended by itself at its prompt is a note for the next command.
[[nodiscard]] std::string note_of_new_shell(const Tab& tab);

}  // namespace terminally
