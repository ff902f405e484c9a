#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/character_sets.hpp"
#include "text/csi.hpp"
#include "text/screen.hpp"

namespace terminally {

/// What one line of a log hands on to the next.
struct LineState {
  bool alternate = false;  ///< the alternate screen is on
  CharacterSets sets;
};

/// Appends the text of `line`, without its newline, to `text`, as the character sets show it, and tells the
/// widest effect of the controls. A CR at the line's end does nothing.
Effect strip_line(std::string_view line, LineState& state, std::string& text);

struct DrawnLine {
  std::string text;       ///< without blanks at its end
  std::string to_cursor;  ///< what stands before the cursor
};

/// The final text of a line that is drawn within itself (CR, BS, CSI K C D G, CSI 0 J with nothing below).
/// Nothing when the line outgrows `cols`, because a terminal would wrap it. Draws 10,000 redraws of a
/// progress bar in milliseconds.
[[nodiscard]] std::optional<DrawnLine> draw_line(std::string_view line, CharacterSets sets, int cols,
                                                 CharacterWidths& widths);

}  // namespace terminally
