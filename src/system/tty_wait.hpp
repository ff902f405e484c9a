#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace terminally {

/// How a terminal hands over what is typed.
struct TerminalMode {
  bool line = false;           ///< by the line (ICANON); else key by key
  bool echo = false;           ///< shown as it is typed
  bool cr_is_enter = true;     ///< CR is read as a newline (ICRNL)
  bool cr_is_dropped = false;  ///< CR is not read at all (IGNCR)
  bool keys_signal = true;     ///< C-c is a signal (ISIG), not a character
};

/// By its path ("/dev/pts/3"); nullopt when it cannot be opened: it is gone.
[[nodiscard]] std::optional<TerminalMode> terminal_mode(const std::string& tty);
/// How many bytes were typed that nobody has read; 0 where that cannot be told. In line mode: of whole lines.
[[nodiscard]] int unread_input(const std::string& tty);

/// Its device number, 0 when it is gone.
[[nodiscard]] dev_t terminal_device(const std::string& tty);

/// What a process waits for, in the order of how much it says.
enum class TtyWait {
  no,       ///< it runs, is stopped, or sleeps for something other than the terminal
  unknown,  ///< it sleeps, and the system does not let us see for what
  among,    ///< it sleeps for the first of several things, one of them the terminal
  only,     ///< it sleeps for the terminal alone
};

/// Where the system tells what a process sleeps in. `syscall` says it exactly, but needs the rights of a
/// debugger (Ubuntu denies them: ptrace_scope 1); where it is denied, `wchan` is used, which names a kernel
/// function.
enum class SleepSource { syscall, wchan };

/// Whether a thread of the process waits for input from this terminal: a read, poll, select or epoll that is
/// going on. From /proc alone, tens of microseconds. Wrong only for what changes between two of its files.
[[nodiscard]] TtyWait tty_wait(int pid, dev_t terminal, SleepSource source = SleepSource::syscall);

/// Whether it sleeps until a time has come, or does not sleep at all: it goes on by itself.
[[nodiscard]] bool goes_on_by_itself(int pid);

/// Whether a shell may be in the midst of starting processes: anything but a call in which one waits for its
/// job. It may run, fork, read (zsh learns from a pipe that its child is ready), or wait for memory or a lock
/// in any other call.
[[nodiscard]] bool starts_processes(int pid);

/// Whether it has readline or libedit loaded: in raw mode it edits a line.
[[nodiscard]] bool has_line_editor(int pid);

}  // namespace terminally
