#pragma once

#include <array>

namespace terminally {

/// By these tmux, screen and zellij know that they would run in themselves: start-up files that open one look
/// at them. A tab has them with a value behind which nothing is, until its first command of ours.
inline constexpr std::array<const char*, 3> kMultiplexers = {"TMUX", "STY", "ZELLIJ"};
inline constexpr char kNoMultiplexer[] = "/dev/null/terminally-mcp,0,0";

}  // namespace terminally
