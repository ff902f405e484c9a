#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/timeout.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// So soon after our last command a program in the foreground most likely is a step of the prompt, however
/// slow.
inline constexpr Milliseconds kPromptAfterCommand{5'000};

/// Waits until a shell in the tab's foreground is at its prompt and returns it. A tab that was just opened
/// still runs its rc files; a shell that just ended a command is on its way back. Throws Error: busy, naming
/// what has the foreground; tab_closed when the tab's process is gone.
[[nodiscard]] boost::asio::awaitable<Foreground> wait_for_prompt(const Tab& tab, Clock::time_point deadline);

/// Whether the program in the foreground began so soon behind the end of our last command, or behind the
/// tab's opening, with nothing typed since, that it most likely is a step of the prompt (git, starship), and
/// nobody's.
[[nodiscard]] bool is_step_of_prompt(const Tab& tab, const Foreground& foreground);

}  // namespace terminally
