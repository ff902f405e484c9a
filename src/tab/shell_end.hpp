#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/timeout.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Why a closed tab has no shell any more, as the rest of a sentence that names it: "is closed: its shell
/// ended with …". Without what it printed where it is not known how it ended.
[[nodiscard]] std::string why_closed(const Tab& tab);

/// Where a shell ended before its first prompt: waits until the log has all that it printed, which its writer
/// may bring late.
[[nodiscard]] boost::asio::awaitable<void> wait_for_last_words(const Tab& tab, Clock::time_point deadline);

/// Throws Error(busy) when the tab's shell ended before its first prompt and another was started: once,
/// before anything is run in that. One that ended by itself at its prompt is a note for the next command.
[[nodiscard]] std::string note_of_new_shell(const Tab& tab);

}  // namespace terminally
