#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/timeout.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Why a closed tab has no shell any more, as the rest of a sentence about the tab: "is closed: its shell
/// ended with …", or just "is closed".
[[nodiscard]] std::string why_closed(const Tab& tab);

/// Where a shell ended before its first prompt: waits until the log has its last output, which may be late.
[[nodiscard]] boost::asio::awaitable<void> wait_for_last_words(const Tab& tab, Clock::time_point deadline);

/// A note about a shell that ended by itself at its prompt, for the next command. Throws Error(busy), once,
/// where the shell ended before its first prompt and another was started.
[[nodiscard]] std::string note_of_new_shell(const Tab& tab);

}  // namespace terminally
