#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The handle of a tab, "@3": tmux's number of its window and what the generation begins with. It means one
/// tab for ever, within its instance; never a target for tmux.
struct WindowId {
  std::uint32_t number = 0;
  auto operator<=>(const WindowId&) const = default;
};

/// tmux's own id of a pane, "%3". Everything typed goes to a recorded pane, never to "the window".
struct PaneId {
  std::uint32_t number = 0;
  auto operator<=>(const PaneId&) const = default;
};

/// Nobody opens so many: higher numbers on disk were not given by us, and nothing is counted on from them.
constexpr std::uint32_t kHighestNumber = 999'999'999;

[[nodiscard]] std::string to_string(WindowId id);
[[nodiscard]] std::string to_string(PaneId id);

/// Exactly `@` or `%` and decimal digits that fit 32 bits; anything else is nullopt.
[[nodiscard]] std::optional<WindowId> parse_window_id(std::string_view text);
[[nodiscard]] std::optional<PaneId> parse_pane_id(std::string_view text);

/// What an error says where a tab was named and two have the name.
[[nodiscard]] std::string several_tabs_named(std::string_view name, WindowId one, WindowId other);

}  // namespace terminally
