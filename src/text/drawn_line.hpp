#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/csi.hpp"
#include "text/screen.hpp"

namespace terminally {

/// What the bytes of one line, without its newline, do to the screen. A CR at the line's end does nothing.
struct LineEffect {
  Effect effect = Effect::none;  ///< the widest of its controls'
  bool alternate = false;        ///< the alternate screen is on afterwards
};

/// Appends the text of `line` to `text` as AnsiStripper would, and says what the removed controls do.
/// `alternate`: whether the line begins on the alternate screen.
LineEffect strip_line(std::string_view line, bool alternate, std::string& text);

/// The final text of a line that is drawn within itself (CR, BS, CSI K C D G, CSI 0 J with nothing below),
/// without blanks at its end. Nothing when the line outgrows `cols`, because a terminal would wrap it. Draws
/// 10,000 redraws of a progress bar in milliseconds.
[[nodiscard]] std::optional<std::string> draw_line(std::string_view line, int cols, CharacterWidths& widths);

}  // namespace terminally
