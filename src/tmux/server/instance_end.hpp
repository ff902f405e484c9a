#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "config.hpp"
#include "instance/instance.hpp"
#include "tab/detachment.hpp"

namespace terminally {

/// Ends an instance that must not live on: its tmux server (frozen or not), the processes of its tabs, its
/// runtime directory and its files of commands. The logs stay. Within 1.5 s. `server_pid`: the tmux server's,
/// 0 when it is not known.
[[nodiscard]] boost::asio::awaitable<void> end_instance(const Config& config, const Instance& instance,
                                                        int server_pid);

/// Kills what is left in the instance's tabs after tmux hung up on it, found by the cookie in its
/// environment, and waits until its log writers are gone too: 0.8 s at most. What was detached from its tab
/// lives, and is named on stderr, as is what cannot be killed. `known`: of the tabs, before.
[[nodiscard]] boost::asio::awaitable<void> end_tab_processes(const Instance& instance, Detachment detachment,
                                                             KnownProcesses known);

/// Removes the files of commands: the panes of the next tmux server have the same
/// numbers.
void remove_command_files(const Instance& instance);

enum class Cleaned {
  nothing_there,  ///< it has no runtime directory
  owned,          ///< terminally-mcp servers work on it: left alone
  runs,           ///< a named one whose tabs live: left alone
  ended,    ///< one whose server died, unnamed or left behind: its tabs were ended, its directory removed
  removed,  ///< a named one without tabs: its runtime directory was removed
};

/// Puts an instance away if it is dead. The logs stay.
[[nodiscard]] boost::asio::awaitable<Cleaned> clean_instance(const Config& config, const std::string& name);

/// Ends the unnamed instances whose servers died without putting them away (kill -9): nobody holds their
/// lock. Ends the named ones that had no server for a day and in which nothing runs. Looks on as long as
/// there is an instance that may be left behind by its gateway (LeftBehind), and ends such an instance, too.
/// Not the caller's `own`: where its directory is removed just now, its lock is free as well.
[[nodiscard]] boost::asio::awaitable<void> end_abandoned_instances(Config config, std::string own);

}  // namespace terminally
