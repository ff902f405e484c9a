#pragma once

#include <boost/asio/awaitable.hpp>

#include "tab/pane_terminal.hpp"
#include "tab/results.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Presses C-c as a person would. Where a frozen or dead tmux does not take the key within a second, sends
/// SIGINT to the foreground group.
[[nodiscard]] boost::asio::awaitable<void> press_interrupt_key(const Tab& tab, PaneTerminal& terminal);

/// Sends one signal to the tab's foreground, without escalation. `own_shell`: the pid of the command's shell;
/// 0: the tab's. A fish in the foreground gets no SIGTERM: unlike other shells it would die, and end the tab.
[[nodiscard]] boost::asio::awaitable<void> signal_foreground_once(const Tab& tab, PaneTerminal& terminal,
                                                                  StopSignal signal, int own_shell);

/// Waits, 60 ms at most, until the program that a shell is starting has the foreground and heeds SIGTERM.
[[nodiscard]] boost::asio::awaitable<void> let_program_start(const Tab& tab);

}  // namespace terminally
