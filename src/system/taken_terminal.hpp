#pragma once

#include <optional>

#include "system/proc.hpp"

namespace terminally {

/// What is left of a tab where another session has made the tab's terminal its own (`setsid -c` as root): the
/// tab's shell has none from then on, and no job control.
struct TakenTerminal {
  /// Of the group that keys go to now. Where nobody has the terminal any more, the tab's shell; where
  /// somebody has it who cannot be told to be of the tab, or is just ending, none (pid 0).
  ProcessInfo holder;
};

/// nullopt: the pane's process has its terminal. `shell_pid`: the tab's shell. Only a process that was
/// started in the tab is taken for the holder: the number of a terminal that is gone may be in use again.
[[nodiscard]] std::optional<TakenTerminal> taken_terminal(const ProcessInfo& pane, int shell_pid);

}  // namespace terminally
