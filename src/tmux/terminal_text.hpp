#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// What a full-screen program that was killed had no time to undo: alternate screen, hidden cursor, colours.
/// Nothing happens in a terminal that is as it should be.
inline constexpr std::string_view kLeaveFullScreen = "\033[?1049l\033[?25h\033[0m";

/// Prints in a tab as a program in it would. Never waits; what the terminal does not take is lost.
void print_in_terminal(const std::string& tty, std::string_view text) noexcept;

}  // namespace terminally
