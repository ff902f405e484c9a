#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The handle of a tab, "@3": tmux's number of the window plus the first number of the generation. A handle
/// means one tab for ever, within the instance; it is never a target for tmux.
struct WindowId {
  std::uint32_t number = 0;
  auto operator<=>(const WindowId&) const = default;
};

/// tmux's own id of a pane, "%3". Everything typed goes to a recorded pane, never to "the window".
struct PaneId {
  std::uint32_t number = 0;
  auto operator<=>(const PaneId&) const = default;
};

/// Nobody opens so many tabs: higher numbers on disk are not ours, and no later number is derived from them.
constexpr std::uint32_t kHighestNumber = 999'999'999;

[[nodiscard]] std::string to_string(WindowId id);
[[nodiscard]] std::string to_string(PaneId id);

/// Exactly `@` or `%` and decimal digits that fit 32 bits; anything else is nullopt.
[[nodiscard]] std::optional<WindowId> parse_window_id(std::string_view text);
[[nodiscard]] std::optional<PaneId> parse_pane_id(std::string_view text);

/// The text of an error where a tab was given by a name that two tabs have.
[[nodiscard]] std::string several_tabs_named(std::string_view name, WindowId one, WindowId other);

}  // namespace terminally
