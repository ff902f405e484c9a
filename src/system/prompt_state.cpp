// Whether a shell in the foreground waits at its prompt, behind a terminal that a gateway made, too.

#include "system/foreground.hpp"
#include "system/keyboard_wait.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

/// A process on its way to sleep counts as asleep but has the wchan "0" while it waits for a processor.
/// Another user's process has the same wchan; that one counts as reading.
bool sleeps_in_tty_read(int pid, const std::string& tty) {
  const TtyWait wait = tty_wait(pid, terminal_device(tty));
  if (wait != TtyWait::unknown) {
    return wait == TtyWait::only;
  }
  const std::string wchan = process_wchan(pid);
  return wchan.empty() || wchan == "0"
             ? process_cwd(pid).empty()
             : wchan == "wait_woken" || wchan == "n_tty_read" || wchan == "tty_read";
}

/// The state of the prompt while the terminal is in this mode.
Prompt prompt_in(TerminalMode mode, const Foreground& foreground, const std::string& tty) {
  const auto process = process_info(foreground.pid);
  if (!process || process->foreground_group != foreground.group) {
    return Prompt::not_yet;
  }
  if (foreground.kind == Foreground::Kind::gateway) {
    if (!mode.line) {
      return foreground.runs_program ? Prompt::not_yet : Prompt::ready;
    }
    return mode.echo ? Prompt::not_yet : Prompt::reads_keyboard;
  }
  if (!mode.line) {
    return process->state == 'S' ? Prompt::ready : Prompt::not_yet;
  }
  if (!sleeps_in_tty_read(foreground.pid, tty)) {
    return Prompt::not_yet;
  }
  return foreground.shell == ShellKind::posix ? Prompt::ready : Prompt::reads_keyboard;
}

}  // namespace

Prompt prompt_state(const Foreground& foreground, const std::string& tty) {
  if (foreground.kind == Foreground::Kind::gateway) {
    if (const InnerTerminal end = end_of_keys(tty, foreground); end.tty != tty) {
      const bool shell = end.foreground.is_shell() || end.foreground.kind == Foreground::Kind::gateway;
      return shell ? prompt_state(end.foreground, end.tty) : Prompt::not_yet;
    }
  }
  const auto mode = terminal_mode(tty);
  const Prompt state = mode ? prompt_in(*mode, foreground, tty) : Prompt::not_yet;
  if (state == Prompt::not_yet) {
    return state;
  }
  // The mode and the state were read one after the other: they fit together where the mode is still the same.
  const auto behind = terminal_mode(tty);
  return behind && behind->line == mode->line ? state : Prompt::not_yet;
}

bool reads_keyboard(const Foreground& foreground, const std::string& tty) {
  const auto mode = terminal_mode(tty);
  return mode && mode->line && prompt_state(foreground, tty) == Prompt::reads_keyboard;
}

}  // namespace terminally
