#pragma once

namespace terminally {

/// For people who watch a tab: a client ended what ran there. On a line of its own, after END and so outside
/// of the output; printed by the shells' hooks, by terminally-shell, and by the server for what a person had
/// started.
inline constexpr char kCancelledText[] = "[CANCELLED] Command terminated by MCP client";

}  // namespace terminally
