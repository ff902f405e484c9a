// Reads the size of a tab's screen.
#include "tab/window_size.hpp"

#include <charconv>

namespace terminally {

std::optional<WindowSize> parse_window_size(const std::string& text) {
  WindowSize size;
  const char* const end = text.data() + text.size();
  const auto cols = std::from_chars(text.data(), end, size.cols);
  if (cols.ec != std::errc() || cols.ptr == end || *cols.ptr != 'x') {
    return std::nullopt;
  }
  const auto rows = std::from_chars(cols.ptr + 1, end, size.rows);
  const bool fits = size.cols >= kLeastSize.cols && size.cols <= kMostSize.cols &&
                    size.rows >= kLeastSize.rows && size.rows <= kMostSize.rows;
  return rows.ec == std::errc() && rows.ptr == end && fits ? std::optional(size) : std::nullopt;
}

}  // namespace terminally
