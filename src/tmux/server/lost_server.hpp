#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/awaitable.hpp"
#include "instance/instance.hpp"
#include "tab/detachment.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What was known of the processes in the tabs of a tmux server that is lost.
struct LostTabs {
  std::vector<ProcessInfo> panes;
  KnownProcesses known;
};

/// Each server of ours does this with the tabs it knows: they are closed, and its commands there have failed.
[[nodiscard]] Awaitable<LostTabs> end_lost_tabs(std::vector<std::shared_ptr<Tab>> tabs);

/// One process does this, before the next tmux server is started, whose panes have the same numbers: nothing
/// of the tabs runs on, commands that nobody looked after (`look_after`) are settled, their files are gone.
[[nodiscard]] Awaitable<void> clear_up_lost_server(
    const Instance& instance, std::uint32_t generation, LostTabs lost,
    std::function<void(const std::shared_ptr<Tab>&)> look_after);

}  // namespace terminally
