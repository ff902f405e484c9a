#pragma once

namespace terminally {

/// Tells people who watch a tab that a client ended the command there. The text has a line of its own after
/// END, and so outside of the output. The shells' hooks print it, terminally-shell does, and the server does
/// where a person had started the command.
inline constexpr char kCancelledText[] = "[CANCELLED] Command terminated by MCP client";

}  // namespace terminally
