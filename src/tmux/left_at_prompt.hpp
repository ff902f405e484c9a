#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/timeout.hpp"
#include "tmux/tab.hpp"

namespace terminally {

/// Looks at the tab until its shell shows its prompt and is quiet, and remembers it in `tab->prompt`. To be
/// spawned when a command has ended (at `ended`, which is `tab->last_end`); it gives up after a second, or
/// when the next one has ended or the tab's process has.
[[nodiscard]] boost::asio::awaitable<void> remember_prompt(std::shared_ptr<Tab> tab, Clock::time_point ended);

/// Whether somebody left something at the prompt since then: text, a question for the rest of a command (`>
/// `), an editor's command mode. Not for what only printed lines (a job in the background, a command that a
/// person ran). Nothing is known of a tab whose prompt is not remembered: false.
[[nodiscard]] bool is_something_left(const Tab& tab);

}  // namespace terminally
