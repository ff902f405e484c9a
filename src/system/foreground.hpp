#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "system/proc.hpp"

namespace terminally {

/// The shells we know how to run a command in. `posix` is dash, sh, ash, ksh and mksh.
enum class ShellKind { bash, zsh, posix, fish };

/// The kind by a program's name ("bash", "-zsh", "/bin/dash"); nullopt: not a shell that we know.
[[nodiscard]] std::optional<ShellKind> shell_kind(std::string_view program);

/// Whether a program of this name leads to a shell elsewhere: ssh, su, sudo, docker …
[[nodiscard]] bool is_gateway(std::string_view program);

/// What has the foreground of a tab's terminal, read from /proc without asking tmux: a few microseconds.
struct Foreground {
  enum class Kind {
    shell,    ///< the tab's own shell
    nested,   ///< an interactive shell that was started in it
    gateway,  ///< a program that leads to a shell elsewhere (is_gateway)
    program,  ///< anything else
    nothing,  ///< the tab's process is gone
  };
  Kind kind = Kind::nothing;
  int pid = 0;                     ///< leader of the foreground group, or a member of it
  int group = 0;                   ///< the foreground group
  int shell_pid = 0;               ///< the tab's own shell, 0 when it is gone
  std::string name;                ///< of `pid`, e.g. "vim"
  std::optional<ShellKind> shell;  ///< for shell and nested
  bool runs_program = false;       ///< for gateway: what can be seen behind it is no shell at its prompt
  /// For program: it took the terminal from the tab's shell (TakenTerminal), or is that shell, without one.
  bool terminal_is_taken = false;

  [[nodiscard]] bool is_shell() const { return kind == Kind::shell || kind == Kind::nested; }
};

[[nodiscard]] Foreground look_at_foreground(ProcessId pane);

/// The same for a terminal that a program in the tab made: `group` has its foreground, below `leader`, the
/// leader of its session.
[[nodiscard]] Foreground foreground_of_session(int leader, int group);

/// Whether a process, which is below one in front of this terminal, is in front with it: it has no terminal
/// of its own (`su -c` and `setsid -w` begin such a session) and still has this one open. A process whose
/// files we may not read counts.
[[nodiscard]] bool has_keyboard_without_terminal(const ProcessInfo& process, dev_t terminal);

/// The foreground for a person to read; where its process has just ended, the tab's shell. `cwd` is empty
/// where we may not read it (another user's process, one that cannot be dumped), both where the tab's process
/// is gone.
struct InFront {
  std::string name;
  std::string cwd;
};

[[nodiscard]] InFront in_front(const Foreground& foreground);

/// For shell and nested: whether the shell can read our files (same user, same root directory).
[[nodiscard]] bool reads_our_files(const Foreground& foreground);

/// The nearest ssh, su, sudo … that the foreground is, or was started through. None where the foreground was
/// started from the tab's own shell without one.
[[nodiscard]] std::optional<ProcessInfo> gateway_to(const Foreground& foreground);
/// Whether the tab's own shell is yet to come: the foreground is terminally-shell, or the process that it has
/// just forked for the shell.
[[nodiscard]] bool is_starting(const Foreground& foreground, ProcessId pane);

/// Whether the foreground was forked by its shell within the last second and still handles SIGTERM as the
/// shell does, which ignores it (bash, zsh, dash) or catches it and goes on (mksh, ksh93, fish): the shell
/// gives its child the terminal first, and a signal sent now is lost. Also true of a subshell that does so on
/// purpose.
[[nodiscard]] bool ignores_sigterm_before_exec(const Foreground& foreground);

/// Whether the foreground is a restricted shell (rbash, `bash -r`). Such a shell sources no file by its path
/// and redirects nothing, so none of our ways to run a command works there.
[[nodiscard]] bool is_restricted_shell(const Foreground& foreground);

/// The process whose exit status tells that of a nested shell to its parent: the shell itself, or the su,
/// sudo or ssh that opened the shell and passes its code on.
struct ExitReporter {
  int pid = 0;  ///< 0: no process tells it
  int parent = 0;
  std::string name;
  bool passed_on = false;  ///< a signal or a lost connection of the gateway looks like a code of the shell

  /// The exit code of the shell that a status of this process tells.
  [[nodiscard]] std::optional<int> code_of_shell(int status) const {
    return passed_on && status > 128 ? std::nullopt : std::optional(status);
  }
};

/// Ask while the shell lives. `shell_pid`: as Foreground::pid; the gateway where the shell cannot be seen.
[[nodiscard]] ExitReporter exit_reporter(int shell_pid);

/// Whether a shell in the foreground waits at its prompt. A line editor switches the terminal to raw mode and
/// sleeps; dash and its like have none and sleep in a read of the terminal. A shell with a line editor that
/// sleeps in such a read in line mode runs its `read` builtin.
enum class Prompt {
  ready,
  not_yet,         ///< the shell runs something: its rc files, a builtin
  reads_keyboard,  ///< a `read`, or a password prompt, waits for a person
};

[[nodiscard]] Prompt prompt_state(const Foreground& foreground, const std::string& tty);
/// Whether prompt_state is reads_keyboard; costs a third of prompt_state while the shell is at its prompt.
[[nodiscard]] bool reads_keyboard(const Foreground& foreground, const std::string& tty);

}  // namespace terminally
