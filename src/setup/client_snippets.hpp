#pragma once

#include <string>

namespace terminally {

/// How to configure Claude Code, Claude Desktop, Cursor, VS Code and Codex with this program. `program` is
/// its absolute path. Pure.
[[nodiscard]] std::string client_snippets(const std::string& program);

}  // namespace terminally
