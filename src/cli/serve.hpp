#pragma once

#include "config.hpp"

namespace terminally {

/// Serves MCP over stdin and stdout until stdin ends or SIGTERM, SIGINT or SIGHUP comes; then puts an unnamed
/// instance away. Returns the exit code.
[[nodiscard]] int serve(const Config& config);

}  // namespace terminally
