#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace terminally {

/// The size of a tab's screen.
struct WindowSize {
  std::uint32_t cols = 0;
  std::uint32_t rows = 0;

  [[nodiscard]] bool operator==(const WindowSize&) const = default;
};

inline constexpr WindowSize kLeastSize = {20, 5};
inline constexpr WindowSize kMostSize = {1'000, 500};

/// Reads "200x50"; nullopt: that is no size, or not one from kLeastSize to kMostSize.
[[nodiscard]] std::optional<WindowSize> parse_window_size(const std::string& text);

}  // namespace terminally
