#pragma once

#include <string>

#include "log/pane_log.hpp"

namespace terminally {

class TextGuard;

/// The last line of a log that is not finished, as plain text: at most its last 200 bytes, blanks at its ends
/// removed; with a guard masked. Empty when the last line is finished, or is drawn by something that moves
/// the cursor between lines.
[[nodiscard]] std::string unfinished_line(const PaneLog& log, int cols, TextGuard* guard = nullptr);

/// The same line unmasked and not cut, for a text that is masked later: of half a secret nobody sees that it
/// is one. Empty for one of 4 KB or more.
[[nodiscard]] std::string whole_unfinished_line(const PaneLog& log, int cols);

}  // namespace terminally
