#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// How a terminal hands over what is typed.
struct TerminalMode {
  bool line = false;           ///< by the line (ICANON); else key by key
  bool echo = false;           ///< shown as it is typed
  bool cr_is_enter = true;     ///< CR is read as a newline (ICRNL)
  bool cr_is_dropped = false;  ///< CR is not read at all (IGNCR)
  bool keys_signal = true;     ///< C-c is a signal (ISIG), not a character
};

/// The mode of the terminal at a path ("/dev/pts/3"); nullopt when the terminal is gone.
[[nodiscard]] std::optional<TerminalMode> terminal_mode(const std::string& tty);
/// How many typed bytes no program has read yet; 0 where that cannot be told. In line mode: of whole lines.
[[nodiscard]] int unread_input(const std::string& tty);

/// The terminal's device number, 0 when it is gone.
[[nodiscard]] dev_t terminal_device(const std::string& tty);

/// What a process waits for, in the order of how much it says.
enum class TtyWait {
  no,       ///< it runs, is stopped, or waits for something other than the terminal
  unknown,  ///< it sleeps, and we may not see what it waits for
  among,    ///< it waits for the first of several things, one of them the terminal
  only,     ///< it waits for the terminal alone
};

/// Which file of /proc tells what a process sleeps in. `syscall` is exact, but needs the rights of a debugger
/// (Ubuntu denies them: ptrace_scope 1). Where it is denied, `wchan` is used, which names a kernel function.
enum class SleepSource { syscall, wchan };

/// Whether a thread of the process waits for input from this terminal: a read, poll, select or epoll that is
/// going on. Read from /proc alone, in tens of microseconds. Wrong only for changes between two of the files.
[[nodiscard]] TtyWait tty_wait(int pid, dev_t terminal, SleepSource source = SleepSource::syscall);

/// Whether a process has the terminal open. False where its files may not be read.
[[nodiscard]] bool has_open(int pid, dev_t terminal);
/// Whether a process has another terminal of this number open: each devpts, as that of a container, has a
/// terminal 0 of its own. False where its files may not be read.
[[nodiscard]] bool has_namesake_open(int pid, dev_t terminal);

/// Whether a stopped process was just about to read this terminal, or to set its modes: where it is in the
/// background, it was stopped for that. False where it may not be seen.
[[nodiscard]] bool was_stopped_at_terminal(int pid, dev_t terminal);

/// Whether a process sleeps until some time, or does not sleep at all: it goes on by itself.
[[nodiscard]] bool goes_on_by_itself(int pid);

/// Whether a shell may be in the midst of starting processes: it is not in a call that waits for its job. It
/// may run, fork, read (zsh learns from a pipe that its child is ready), or wait for memory or a lock in
/// another call.
[[nodiscard]] bool starts_processes(int pid);

/// Whether a process has readline or libedit loaded: in raw mode it edits a line.
[[nodiscard]] bool has_line_editor(int pid);

/// Prints in a tab as a program there would. Never waits; text that the terminal does not take is lost.
void print_in_terminal(const std::string& tty, std::string_view text) noexcept;

/// Restores a terminal after a full-screen program was killed: leaves the alternate screen, shows the cursor,
/// resets colours. Changes nothing in a terminal that is in order.
void leave_full_screen(const std::string& tty);

}  // namespace terminally
