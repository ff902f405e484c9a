#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// How much of `row` is still what stood before the cursor, `to_cursor`; 0 where that was drawn over. Blanks
/// at the end of `row` may be missing.
[[nodiscard]] std::size_t unchanged_beginning(std::string_view row, std::string_view to_cursor);

/// The rows of a screen at a moment, and its cursor: they tell later what was drawn since.
struct ScreenMark {
  std::size_t first_row = 0;  ///< the number of rows[0]; the rows above have left the screen for good
  std::vector<std::string> rows;
  std::size_t cursor_row = 0;
  std::string to_cursor;  ///< what stands before the cursor

  /// The number of the first row that is another one now; where none is, of the cursor's, if it was the last,
  /// or of the next to be drawn.
  [[nodiscard]] std::size_t first_drawn(const std::vector<std::string>& now) const;
};

}  // namespace terminally
