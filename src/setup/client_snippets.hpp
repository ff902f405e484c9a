#pragma once

#include <string>

namespace terminally {

/// How to configure Claude Code, Claude Desktop, Cursor, VS Code and Codex with this program, whose absolute
/// path it is. Pure.
[[nodiscard]] std::string client_snippets(const std::string& program);

}  // namespace terminally
