#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "config.hpp"
#include "http/rules.hpp"

namespace terminally {

/// Where this user's process that serves the page hands out links (http/links.hpp).
[[nodiscard]] std::filesystem::path page_links(const Config& config);

/// The pid of this user's process that serves the page; 0: none does that can be seen from here.
[[nodiscard]] int page_server(const Config& config);

/// Ends that process, and waits until it has ended. Returns its pid; 0: none served. Throws Error(io) where
/// it does not end in time.
int stop_page(const Config& config);

/// Serves the page of all instances of this user, and MCP over HTTP to programs that have a token, until
/// SIGTERM, SIGINT or SIGHUP comes, and then ends within 1.7 s. There is one such process for a runtime
/// directory; it owns nothing but the instance at /mcp, which ends with it, and may be killed at any moment.
/// Without a place it is 127.0.0.1:7332, or the next port that is free. `tell` is called once it listens.
/// Returns the exit code. Throws Error: busy where such a process runs already, or the place is taken; io.
[[nodiscard]] int serve_page(const Config& config, const std::optional<ListenPlace>& place,
                             const std::function<void(const ListenPlace&)>& tell);

}  // namespace terminally
