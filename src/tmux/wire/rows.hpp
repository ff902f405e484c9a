#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace terminally {

/// One pane as tmux lists it by kPaneFormat. Pure text in, rows out.
struct PaneRow {
  std::string tag;              ///< names its log (tab_ids.hpp); empty: it has none of ours
  std::optional<WindowId> tab;  ///< whose own pane it is, wherever a person has put it
  std::string session;          ///< tmux's ids of where it is now: "$0"
  std::string window;           ///< "@5"
  bool in_tabs = false;         ///< the session is the one that we open tabs in
  PaneId pane;
  int pane_pid = 0;
  std::string tty;
  bool window_active = false;
  std::string layouts;  ///< differs once panes anywhere came, went or changed their size (count_layouts)
  bool piped = false;   ///< #{pane_pipe}
  int cols = 0;
  int rows = 0;
  bool alternate = false;     ///< a program has the alternate screen
  bool person_types = false;  ///< a person is just typing there
  std::string name;           ///< of the window, exactly as it was given
};

/// The tag that a new window's pane gets, in tmux's format language: tmux's own number of the window, and
/// what its generation begins with.
inline constexpr const char* kNewTabTag = "@#{e|+|:#{s/@//:window_id},#{@terminally_first_id}}";

/// Fields are separated by tabs, which no field can hold: tmux escapes them in names.
[[nodiscard]] std::string pane_format(std::string_view tag);
/// A pane carries its tag as an option of its own, so that it is found wherever a person moves it.
inline const std::string kPaneFormat = pane_format("#{@terminally_log}");
[[nodiscard]] std::string ask_for_panes();
/// A hook for tmux's configuration, which counts what our channel is not told of.
[[nodiscard]] std::string count_layouts();
/// A format for what our channel is not told of, for a session: the window that people see there, as windows
/// may be swapped, and the layouts. And what it says, by that window's row.
inline constexpr const char* kUntold = "#{window_id}:#{@terminally_layouts}";
[[nodiscard]] std::string untold(const PaneRow& active);
/// For a window that is just being made: it has no tag yet.
inline const std::string kNewPaneFormat = pane_format(kNewTabTag);

/// A line of `list-panes -F kPaneFormat`, without its newline; nullopt for anything that is not one.
[[nodiscard]] std::optional<PaneRow> parse_pane_row(std::string_view line);
[[nodiscard]] std::vector<PaneRow> parse_pane_rows(std::string_view text);

/// Undoes vis(3) as tmux applies it to names (VIS_OCTAL|VIS_CSTYLE|VIS_TAB|VIS_NL).
[[nodiscard]] std::string unescape_tmux_name(std::string_view name);

}  // namespace terminally
