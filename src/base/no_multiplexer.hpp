#pragma once

#include <array>

namespace terminally {

/// By these variables tmux, screen and zellij know that they would run in themselves; start-up files that
/// open a multiplexer look at them. Until our first command a tab has them with a value that leads nowhere.
inline constexpr std::array<const char*, 3> kMultiplexers = {"TMUX", "STY", "ZELLIJ"};
inline constexpr char kNoMultiplexer[] = "/dev/null/terminally-mcp,0,0";

}  // namespace terminally
