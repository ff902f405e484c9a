#pragma once

#include <optional>
#include <string>

#include "record/record.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// "bash in /home": a shell in the foreground, and its directory where that can be seen.
[[nodiscard]] std::string where_it_is_now(const Foreground& now);

/// What the shell in the foreground, which was seen at its prompt at `seen`, is reached through, the nearest:
/// an ssh, su or sudo. None: it is a shell of this user on this side. While that shell lives.
[[nodiscard]] std::optional<ShellGateway> shell_gateway(const Foreground& foreground, Clock::time_point seen);

/// A caller is told the state of this command: where that says that the way to its shell is gone, the next
/// command needs no note_of_lost_gateway, in whichever process.
void note_told(Tab& tab, const CommandRecord& told);

/// A call that came at `called` expects its command to run where the one before it ran, or in the shell that
/// it opened. Where the way there has ended since and no caller was told, this throws once that nothing was
/// run: the same line does something else on this side of an ssh. Returns a note for the result instead where
/// text or keys were sent since, which may be how it was left. Else nothing.
[[nodiscard]] std::string note_of_lost_gateway(Tab& tab, const Foreground& now, Clock::time_point called);

/// The shell inside the tab's own that a command is meant for.
struct MeantShell {
  ProcessId process;
  std::string name;
};
/// Throws Error(busy) where that shell has ended: the same line may do something else in the one around it.
/// `now`: where it would run.
void refuse_if_gone(const Tab& tab, const std::optional<MeantShell>& meant, const Foreground& now);

}  // namespace terminally
