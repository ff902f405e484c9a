#pragma once

#include "config.hpp"

namespace terminally {

/// Serves MCP over stdin and stdout until SIGTERM, SIGINT or SIGHUP comes, the client takes no more output,
/// or stdin has ended and all requests are answered. After the end of stdin an answer has 1.3 s; a later one
/// is replaced by an error. Nothing is touched on disk and no tmux is started before a tool is called.
///
/// Then the calls under way are dropped without a reply. In an unnamed instance they are cancelled, and the
/// instance is removed; in a durable one their commands go on. The shutdown takes at most 1.7 s.
///
/// Returns the exit code. Throws `Error` when stdin or stdout is closed, or stdout cannot be written to.
[[nodiscard]] int serve(const Config& config);

}  // namespace terminally
