#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>

#include "base/timeout.hpp"
#include "tmux/foreground.hpp"
#include "tmux/tab.hpp"

namespace terminally {

/// Looks at the tab until its shell shows its prompt and is quiet, and remembers it in `tab->prompt`. To be
/// spawned when a command has ended, whose `tab->prompt_turn` is `turn`; it gives up when the next one
/// begins, when the tab's process has ended, or after kPromptAfterCommand.
[[nodiscard]] boost::asio::awaitable<void> remember_prompt(std::shared_ptr<Tab> tab, std::uint64_t turn);

/// Whether somebody left something at the prompt since then: text, a question for the rest of a command (`>
/// `), an editor's command mode. Not for what only printed lines (a job in the background, a command that a
/// person ran), nor when the prompt may be another because the shell is in another directory. Nothing is
/// known of a tab whose prompt is not remembered, and of a shell elsewhere, whose program may be any: false.
[[nodiscard]] bool is_something_left(const Tab& tab, const Foreground& foreground);

}  // namespace terminally
