#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/timeout.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What the tab's own shell is at.
enum class ShellAt {
  gone,       ///< with the tab's process
  starting,   ///< it is just being started
  prompt,     ///< it waits there
  reads,      ///< a `read` of its, or a password prompt, waits for a person
  busy,       ///< it runs something of its own: start-up files, a builtin
  step,       ///< a program has the foreground that most likely is a step of its prompt, and nobody's
  program,    ///< a program has the foreground
  elsewhere,  ///< another shell has it, or a way to one
};

/// Of a shell that somebody did not type something into, as far as is seen: the prompt is there, or comes.
[[nodiscard]] constexpr bool comes_to_prompt(ShellAt at) {
  return at == ShellAt::starting || at == ShellAt::prompt || at == ShellAt::reads || at == ShellAt::busy ||
         at == ShellAt::step;
}

/// The one answer to "is the shell at its prompt?", read from /proc without asking tmux.
struct ShellLook {
  ShellAt at = ShellAt::gone;
  Foreground foreground;
};
[[nodiscard]] ShellLook look_at_shell(const Tab& tab);
[[nodiscard]] inline bool is_at_prompt(const Tab& tab) {
  return look_at_shell(tab).at == ShellAt::prompt;
}

/// As OtherReaders, of the tab's terminal. `shell`: is at its prompt there.
[[nodiscard]] inline std::optional<ProcessInfo> other_reader(const Tab& tab, const Foreground& shell) {
  return tab.readers.look(shell, tab.pane_pid, tab.tty);
}

/// Waits until a shell in the tab's foreground, its own or another, is at its prompt and returns it. A tab
/// that was just opened still runs its rc files; a shell that just ended a command is on its way back. Throws
/// Error: busy, naming what has the foreground, or reads what is typed beside the shell; tab_closed when the
/// tab's process is gone.
[[nodiscard]] boost::asio::awaitable<Foreground> wait_for_prompt(const Tab& tab, Clock::time_point deadline);

}  // namespace terminally
