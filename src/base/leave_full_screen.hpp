#pragma once

#include <string_view>

namespace terminally {

/// Leaves the alternate screen, and changes nothing where it is not on. It is entered before: to leave one
/// that is not on would put the cursor where it was when a program last came to it, above what was printed
/// since. To enter saves the cursor where it stands, and is nothing where the screen is on already.
inline constexpr std::string_view kLeaveAlternateScreen = "\033[?1049h\033[?1049l";

}  // namespace terminally
