#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Prints in a tab as a program in it would. Never waits; what the terminal does not take is lost.
void print_in_terminal(const std::string& tty, std::string_view text) noexcept;

/// Undoes what a full-screen program that was killed had no time to: alternate screen, hidden cursor,
/// colours. Nothing happens in a terminal that is as it should be.
void leave_full_screen(const std::string& tty);

}  // namespace terminally
