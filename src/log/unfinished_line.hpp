#pragma once

#include <string>

#include "log/pane_log.hpp"

namespace terminally {

class TextGuard;

/// The unfinished last line of a log as plain text: at most its last 200 bytes, without blanks at its ends,
/// masked by the guard. Empty when the line is finished, or moves the cursor between lines.
[[nodiscard]] std::string unfinished_line(const PaneLog& log, int cols, TextGuard* guard = nullptr);

/// The same line unmasked and not cut, for a text that is masked later: half a secret would not be
/// recognized. Empty for a line of 4 KB or more.
[[nodiscard]] std::string whole_unfinished_line(const PaneLog& log, int cols);

}  // namespace terminally
