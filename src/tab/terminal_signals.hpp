#pragma once

#include <boost/asio/awaitable.hpp>

#include "tab/pane_terminal.hpp"
#include "tab/results.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// C-c as a person would press it. A frozen or dead tmux cannot carry the key: then the signal itself goes to
/// what has the foreground. Within a second.
[[nodiscard]] boost::asio::awaitable<void> press_interrupt_key(const Tab& tab, PaneTerminal& terminal);

/// One signal to what has the tab's foreground, without escalation. `own_shell`: the pid of the shell that
/// runs it; 0: of the tab. To a fish that has the foreground itself SIGTERM is not sent: it alone would die
/// of it, and the tab with it.
[[nodiscard]] boost::asio::awaitable<void> signal_foreground_once(const Tab& tab, PaneTerminal& terminal,
                                                                  StopSignal signal, int own_shell);

/// Waits for a program to take the foreground from the shell that is starting it, and for it to hear SIGTERM:
/// 60 ms at most.
[[nodiscard]] boost::asio::awaitable<void> let_program_start(const Tab& tab);

}  // namespace terminally
