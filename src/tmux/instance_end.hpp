#pragma once

#include <boost/asio/awaitable.hpp>

#include "config.hpp"
#include "tmux/instance.hpp"

namespace terminally {

/// Ends an instance that must not live on: its tmux server (frozen or not), every process of its tabs, its
/// runtime directory. The logs stay. Within 1.5 s. `server_pid`: the tmux server's, 0 when it is not known.
[[nodiscard]] boost::asio::awaitable<void> end_instance(const Config& config, const Instance& instance,
                                                        int server_pid);

/// Ends the unnamed instances whose servers died without putting them away (kill -9): nobody holds their
/// lock.
[[nodiscard]] boost::asio::awaitable<void> end_abandoned_instances(Config config);

/// Marks an owned instance as one that ends with its server.
void mark_unnamed(const Instance& instance);

}  // namespace terminally
