#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace terminally {

/// How many bytes of cursor-moving runs, counted from the end, one rendering sends through the emulator at up
/// to kUsualCols columns.
inline constexpr std::size_t kMaxEmulatedBytes = 256 << 10;
inline constexpr std::size_t kUsualCols = 120;

/// What a person would have seen in the end: carriage returns, backspaces, cursor movement and erasing
/// applied to a log's bytes, as on a terminal of `cols` columns (at least 2, at most 1000) and 40 rows that
/// was empty before. Valid UTF-8 with no control but tab and newline.
///
/// - A line without cursor movement comes back as by strip_ansi: any length, never wrapped.
/// - A line drawn within itself (progress bars) comes back as it was last, without blanks at its end.
///   After 4 MiB of such lines the others are as by strip_ansi.
/// - A run that moves between lines, clears or uses the alternate screen goes through a terminal emulator,
///   together with the 40 lines before it, because the run can reach them; a line of these that stays
///   untouched comes back unchanged. A run lasts until 40 lines in a row did nothing of the kind.
/// - Cleared text is gone. Rows that had scrolled off the top stay, also after `clear`, which would drop them
///   from a terminal's history. While the alternate screen is on, its text comes after the text before it.
///   Once a program left it, its last picture comes at the end of the run, below a line that says so.
/// - Where the runs have more than kMaxEmulatedBytes together, the earlier ones, or the beginning of one, are
///   replaced by a line "[N bytes of screen drawing left out]".
///
/// The text ends with a newline if the last line was finished. Pure; any thread may call it. Costs up to 1 s,
/// whatever is drawn, so keep it off the event loop; on a Worker the call can be abandoned.
[[nodiscard]] std::string render(std::string_view raw, int cols);

struct Rendered {
  std::string text;
  std::uint64_t cleared_lines = 0;  ///< by `clear` and its kind, together with the screen that they stood on
};

/// Renders the slice of `raw` that begins at byte `slice_at`, on the screen as the bytes before left it: what
/// stood before the cursor is not repeated; where the slice draws further up, its text begins with that row.
/// A slice that begins and ends on one alternate screen is all of that screen.
[[nodiscard]] Rendered render_slice(std::string_view raw, std::size_t slice_at, int cols);

}  // namespace terminally
