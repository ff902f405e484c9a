#pragma once

#include <optional>
#include <string>

#include "system/proc.hpp"
#include "system/shell_kind.hpp"

namespace terminally {

/// Who has the foreground of a tab's terminal, read from /proc without asking tmux: a few microseconds.
struct Foreground {
  enum class Kind {
    shell,    ///< the tab's own shell
    nested,   ///< an interactive shell that was started in it
    gateway,  ///< a way to a shell elsewhere: ssh, su, sudo, docker …
    program,  ///< anything else
    nothing,  ///< the tab's process is gone
  };
  Kind kind = Kind::nothing;
  int pid = 0;                     ///< leader of the foreground group, or a member of it
  int group = 0;                   ///< the foreground group
  int shell_pid = 0;               ///< the tab's own shell, 0 when it is gone
  std::string name;                ///< of `pid`, e.g. "vim"
  std::optional<ShellKind> shell;  ///< for shell and nested
  bool runs_program = false;       ///< for gateway: no shell at its prompt has the terminal that it made

  [[nodiscard]] bool is_shell() const { return kind == Kind::shell || kind == Kind::nested; }
};

[[nodiscard]] Foreground look_at_foreground(ProcessId pane);

/// What a person is told of it: where what had it has just ended, or ends just now, of the tab's shell. `cwd`
/// is empty where it is not for us to read (another user's, one that hides), both where the tab's process is
/// gone.
struct InFront {
  std::string name;
  std::string cwd;
};

[[nodiscard]] InFront in_front(const Foreground& foreground);

/// For shell and nested: same user, same root directory.
[[nodiscard]] bool reads_our_files(const Foreground& foreground);

/// The ssh, su, sudo … that the foreground is, or is reached through: the nearest. None where what has it was
/// started by the tab's own shell, or by others in it, on this side.
[[nodiscard]] std::optional<ProcessInfo> gateway_to(const Foreground& foreground);
/// Whether the tab's own shell is yet to come: what it has is terminally-shell, or the process that this has
/// just made for the shell. Nobody's program.
[[nodiscard]] bool is_starting(const Foreground& foreground, ProcessId pane);

/// Whether it was made by its shell within the last second, and still takes SIGTERM as that one does, which
/// ignores it (bash, zsh, dash) or catches it and goes on (mksh, ksh93, fish): the shell gives the terminal
/// to its child first, and what is sent now is lost. Also of a subshell that does so on purpose.
[[nodiscard]] bool is_deaf_fork(const Foreground& foreground);

/// Whether it is a shell that was started as a restricted one (rbash, `bash -r`): it sources no file by its
/// path and redirects nothing, so none of our ways to run a command works there.
[[nodiscard]] bool is_restricted_shell(const Foreground& foreground);

/// Whose exit status is that of a shell that somebody else waits for: the shell itself, or the su, sudo or
/// ssh that opened it and passes its code on.
struct ExitReporter {
  int pid = 0;  ///< 0: nobody's is
  int parent = 0;
  std::string name;
  bool passed_on = false;  ///< a signal or a lost connection of its own looks like a code of the shell

  /// What a status of this process says about the shell.
  [[nodiscard]] std::optional<int> code_of_shell(int status) const {
    return passed_on && status > 128 ? std::nullopt : std::optional(status);
  }
};

/// While that shell lives. `shell_pid`: as Foreground::pid, the gateway itself where the shell is not seen.
[[nodiscard]] ExitReporter exit_reporter(int shell_pid);

/// Whether a shell in the foreground waits at its prompt. A line editor switches the terminal to raw mode and
/// sleeps; dash and its like have none and sleep in a read of the terminal. In line mode a shell with an
/// editor that sleeps in such a read runs its `read` builtin.
enum class Prompt {
  ready,
  not_yet,         ///< it runs something: its rc files, a builtin
  reads_keyboard,  ///< a `read`, or a password prompt, waits for a person
};

[[nodiscard]] Prompt prompt_state(const Foreground& foreground, const std::string& tty);
/// Whether that is Prompt::reads_keyboard, for a third of the price where it is at its prompt.
[[nodiscard]] bool reads_keyboard(const Foreground& foreground, const std::string& tty);

}  // namespace terminally
