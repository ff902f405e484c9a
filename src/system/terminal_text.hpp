#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Prints in a tab as a program there would. Never waits; text that the terminal does not take is lost.
void print_in_terminal(const std::string& tty, std::string_view text) noexcept;

/// Restores a terminal after a full-screen program was killed: leaves the alternate screen, shows the cursor,
/// resets colours. Changes nothing in a terminal that is in order.
void leave_full_screen(const std::string& tty);

}  // namespace terminally
