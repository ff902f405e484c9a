#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "mcp/task.hpp"

namespace terminally {

class Router;
class TmuxManager;

// The command of a task: this side knows the command by its id, a host by the task's key.

/// Whether the task is known to have a command, and so outlives its call.
[[nodiscard]] bool has_command(const Task& task);

/// Fills in a task of which only the id is known: its times, and its outcome where it is over. False where
/// there is no such command.
[[nodiscard]] boost::asio::awaitable<bool> find_command_of(std::shared_ptr<const Router> router,
                                                           TaskPtr task);

/// Waits for the end of a command that another call, or another server, has begun, and takes its result.
[[nodiscard]] boost::asio::awaitable<void> see_command_through(std::shared_ptr<const Router> router,
                                                               TaskPtr task);

/// Ends the command of the task, and no other one that its tab runs by now.
[[nodiscard]] boost::asio::awaitable<void> end_command_of(std::shared_ptr<const Router> router, TaskPtr task);

/// Ends a command. Returns once it is over, or its tab is closed.
[[nodiscard]] boost::asio::awaitable<void> end_command(TmuxManager& manager, WindowId window, std::string id);

}  // namespace terminally
