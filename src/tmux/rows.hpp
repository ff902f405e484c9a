#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmux/ids.hpp"

namespace terminally {

/// One pane as tmux lists it by kPaneFormat. Pure text in, rows out.
struct PaneRow {
  WindowId window;
  PaneId pane;
  int pane_pid = 0;
  std::string tty;
  bool window_active = false;
  bool piped = false;  ///< #{pane_pipe}
  int cols = 0;
  std::string name;  ///< of the window, exactly as it was given
};

/// Fields are separated by tabs, which no field can hold: tmux escapes them in names.
inline constexpr const char* kPaneFormat =
    "#{window_id}\t#{pane_id}\t#{pane_pid}\t#{pane_tty}\t#{window_active}\t#{pane_pipe}\t#{pane_width}\t#{"
    "window_name}";

/// A line of `list-panes -F kPaneFormat`, without its newline; nullopt for anything that is not one.
[[nodiscard]] std::optional<PaneRow> parse_pane_row(std::string_view line);
[[nodiscard]] std::vector<PaneRow> parse_pane_rows(std::string_view text);

/// Undoes vis(3) as tmux applies it to names (VIS_OCTAL|VIS_CSTYLE|VIS_TAB|VIS_NL).
[[nodiscard]] std::string unescape_tmux_name(std::string_view name);

[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace terminally
