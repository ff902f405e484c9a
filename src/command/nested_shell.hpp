#pragma once

#include <optional>
#include <string>

#include "record/record.hpp"
#include "system/foreground.hpp"
#include "tab/shell_gateway.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Whether the next command would go to the shell in front: the tab's own, one inside it, or a way to one.
/// That shell may just be on its way to its prompt.
[[nodiscard]] bool takes_next_command(const Tab& tab);

/// Whether a shell inside the tab's own is seen to wait at its prompt, or to be on its way there from our
/// last command. Of one on another machine nothing is seen.
[[nodiscard]] bool nested_shell_waits(const Tab& tab);

/// The command that was begun last, where that was in a shell inside the tab's own and this process does not
/// look after it: it has ended, or another process of ours does.
[[nodiscard]] std::optional<CommandRecord> begun_inside(const Tab& tab);

/// A running command that this process does not look after, in the nested shell that would take the next one,
/// or in one that took the place of the tab's own.
[[nodiscard]] std::optional<CommandRecord> others_command_in_front(const Tab& tab);

/// The shell inside the tab's own that a call meant, which came while something else had its turn there.
/// None: the tab's own shell, or whichever the command before it opens.
[[nodiscard]] std::optional<MeantShell> meant_shell(const Tab& tab);

}  // namespace terminally
