#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "log/pane_log.hpp"
#include "log/text_view.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

/// The text of a range of a log. A text of more than `max_bytes` as JSON is cut to its first fifth and last
/// four fifths, with a line between them that says how much was left out and which bytes to read.
/// `omitted_bytes` counts raw log bytes.
struct BoundedText {
  std::string text = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  std::uint64_t omitted_bytes = 0;
  PaneLog::Gap gap = {};            ///< the bytes of the range that are gone from the log
  MaskCounts masked = {};           // NOLINT(readability-redundant-member-init): g++ wants it named
  std::uint64_t cleared_lines = 0;  ///< Rendered
};
struct OutputRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool goes_on = false;  ///< more may come
  std::uint64_t first =
      0;  ///< how far back to look for the beginning of a secret, and what was on the screen
};
/// Pure but for the log; any thread may call it; the guard counts nothing. Rendering costs up to 0.1 s for
/// each of up to 4 megabytes, masking a quarter of that.
[[nodiscard]] BoundedText bounded_text(const PaneLog& log, const OutputRange& range, const TextView& view,
                                       int cols, std::uint64_t max_bytes);

/// Throws Error(invalid_argument) for an offset beyond the end of a log: it was never an offset of this log,
/// but is another tab's. `field` is the caller's name of the offset, a flag
/// where the caller is a person.
void refuse_beyond_end(const PaneLog& log, std::uint64_t offset, const std::string& field = "from_byte");

/// A note of the lines of a rendered range that are not shown because they were cleared, if any were.
[[nodiscard]] std::optional<std::string> cleared_note(std::uint64_t lines, std::uint64_t begin,
                                                      std::uint64_t end);

/// A note of the bytes that are gone, if any are: "12 bytes of the output are gone …".
[[nodiscard]] std::optional<std::string> gap_note(const PaneLog::Gap& gap, std::string_view of_what);

}  // namespace terminally
