#pragma once

#include <string_view>

namespace terminally {

/// Leaves the alternate screen, if that is on, and else changes nothing. The sequence enters the screen
/// first: to leave one that is not on would put the cursor where a program last entered it, above what was
/// printed since. Entering saves the cursor's place, and does nothing where the alternate screen is on
/// already.
inline constexpr std::string_view kLeaveAlternateScreen = "\033[?1049h\033[?1049l";

}  // namespace terminally
