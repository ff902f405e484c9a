// Tells what was drawn on a screen since a moment.
#include "text/screen_mark.hpp"

#include <algorithm>

namespace terminally {

std::size_t unchanged_beginning(std::string_view row, std::string_view to_cursor) {
  if (row.starts_with(to_cursor)) {
    return to_cursor.size();
  }
  const bool only_blanks_are_missing =
      to_cursor.starts_with(row) && to_cursor.find_first_not_of(' ', row.size()) == std::string_view::npos;
  return only_blanks_are_missing ? row.size() : 0;
}

std::size_t ScreenMark::first_drawn(const std::vector<std::string>& now) const {
  const std::size_t end = first_row + rows.size();
  std::size_t row = first_row;
  while (row < std::min(end, now.size()) && now[row] == rows[row - first_row]) {
    ++row;
  }
  const bool is_last = cursor_row + 1 == end;
  return row == end && is_last ? cursor_row : row;
}

}  // namespace terminally
