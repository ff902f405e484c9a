#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/timeout.hpp"
#include "record/record.hpp"
#include "system/process_table.hpp"
#include "tab/pane_terminal.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Presses C-c as a person would, once the tab's processes are known. Where a frozen or dead tmux does not
/// take the key within a second, sends SIGINT to the foreground group. The key hits the whole of that: where
/// it has what was detached and does not ignore SIGINT (nohup in a program), the others get the signal in its
/// place. `own_shell`: as TabProcesses.
[[nodiscard]] boost::asio::awaitable<void> press_interrupt_key(const Tab& tab, PaneTerminal& terminal,
                                                               ProcessTable& table, int own_shell);

/// Sends one signal to the tab's foreground, without escalation. `own_shell`: the pid of the command's shell;
/// 0: the tab's. A fish, and a shell that is only starting, get no SIGTERM: they would die, and end the tab.
[[nodiscard]] boost::asio::awaitable<void> signal_foreground_once(const Tab& tab, PaneTerminal& terminal,
                                                                  StopSignal signal, ProcessTable& table,
                                                                  int own_shell);

/// Waits, 60 ms at most, until the program that a shell is starting has the foreground and heeds SIGTERM.
[[nodiscard]] boost::asio::awaitable<void> let_program_start(const Tab& tab);

/// Why a closed tab has no shell any more, as the rest of a sentence about the tab: "is closed: its shell
/// ended with …", or just "is closed".
[[nodiscard]] std::string why_closed(const Tab& tab);

/// Where a shell ended before its first prompt: waits until the log has its last output, which may be late.
[[nodiscard]] boost::asio::awaitable<void> wait_for_last_words(const Tab& tab, Clock::time_point deadline);

/// A note about a shell that ended by itself at its prompt, for the next command. Throws Error(busy), once,
/// where the shell ended before its first prompt and another was started.
[[nodiscard]] std::string note_of_new_shell(const Tab& tab);

}  // namespace terminally
