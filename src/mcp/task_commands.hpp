#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "mcp/task.hpp"

namespace terminally {

class Router;
class TmuxManager;

// The command that a task stands for: on this side it is known by its id, on a host by the task's key.

/// Whether the task lives as long as a command, and is more than a call.
[[nodiscard]] bool has_command(const Task& task);

/// For a task whose id is all that is known of it: false where there is no such command. Else the task has
/// its times, and what it came to where it is over.
[[nodiscard]] boost::asio::awaitable<bool> find_command_of(std::shared_ptr<const Router> router,
                                                           TaskPtr task);

/// To the end of a command that another call, or another server, has begun.
[[nodiscard]] boost::asio::awaitable<void> see_command_through(std::shared_ptr<const Router> router,
                                                               TaskPtr task);

/// Ends the command of the task, and nothing else that runs in its tab by now.
[[nodiscard]] boost::asio::awaitable<void> end_command_of(std::shared_ptr<const Router> router, TaskPtr task);

/// Returns once it is over, or its tab is closed.
[[nodiscard]] boost::asio::awaitable<void> end_command(TmuxManager& manager, WindowId window, std::string id);

}  // namespace terminally
