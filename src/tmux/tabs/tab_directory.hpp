#pragma once

#include <string>

#include "base/awaitable.hpp"
#include "config.hpp"
#include "tmux/server/call_time.hpp"
#include "tmux/tabs/chosen_tab.hpp"

namespace terminally {

class Commands;

/// Takes the shell of a tab to a directory by a `cd` of ours, unless it is there, and notes in `place` where
/// the next command is to begin. Where it did not: why, and that nothing was run; empty else. `here_only`:
/// not in a shell behind ssh and the like, where the path means something else. Throws Error where the tab
/// cannot take a command.
[[nodiscard]] Awaitable<std::string> go_to(Commands& commands, ChosenTab& place, std::string directory,
                                           bool here_only, CallTime time);

/// The same for the `cwd` of a call. Throws Error(invalid_argument) that names it; nothing was run then.
[[nodiscard]] Awaitable<void> go_to_cwd(Commands& commands, const Config& config, ChosenTab& place,
                                        std::string cwd, CallTime time);

}  // namespace terminally
