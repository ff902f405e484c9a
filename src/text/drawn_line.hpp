#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/csi.hpp"
#include "text/screen.hpp"

namespace terminally {

/// What the bytes of one line, without its newline, do. A CR at the end of the line moves nothing.
struct LineEffect {
  Effect effect = Effect::none;  ///< the widest of its controls'
  bool alternate = false;        ///< the alternate screen is on afterwards
};

/// Appends the text of `line` to `text` as AnsiStripper would, and says what was left out. `alternate`:
/// whether the line begins on the alternate screen.
LineEffect strip_line(std::string_view line, bool alternate, std::string& text);

/// What is left of a line that is drawn within itself (CR, BS, CSI K C D G, CSI 0 J below which there is
/// nothing), without blanks at its end. Nothing when it outgrows `cols`, so that a terminal would wrap it.
/// Makes 10,000 redraws of a progress bar a matter of milliseconds.
[[nodiscard]] std::optional<std::string> draw_line(std::string_view line, int cols, CharacterWidths& widths);

}  // namespace terminally
