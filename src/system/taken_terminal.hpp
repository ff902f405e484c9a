#pragma once

#include <optional>

#include "system/proc.hpp"

namespace terminally {

/// What is left of a tab where another session has made the tab's terminal its own (`setsid -c` as root): the
/// tab's shell has none from then on, and no job control.
struct TakenTerminal {
  ProcessInfo holder;    ///< of the group that keys go to now; where nobody has it, the tab's shell
  bool is_held = false;  ///< by the other session
};

/// nullopt: the pane's process has its terminal. `shell_pid`: the tab's shell. Only a process that was
/// started in the tab is taken for the holder: the number of a terminal that is gone may be in use again.
[[nodiscard]] std::optional<TakenTerminal> taken_terminal(const ProcessInfo& pane, int shell_pid);

}  // namespace terminally
