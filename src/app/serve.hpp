#pragma once

#include "config.hpp"

namespace terminally {

/// Serves MCP over stdin and stdout until SIGTERM, SIGINT or SIGHUP comes, the client takes no more output,
/// or stdin has ended and what was asked is answered, which has 1.5 s; what takes longer is answered by an
/// error. Nothing is touched on disk and no tmux is started before a tool is called.
///
/// Then the calls under way are dropped without a reply: of an unnamed instance they are cancelled, of a
/// durable one their commands go on. An unnamed instance is put away. All that within 1.7 s.
///
/// Returns the exit code. Throws `Error` when stdin or stdout is closed, or stdout cannot be written to.
[[nodiscard]] int serve(const Config& config);

}  // namespace terminally
