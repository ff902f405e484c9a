#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace terminally {

// What is told of tabs.

/// One row of list_tabs.
struct TabInfo {
  WindowId window_id;
  std::string name;
  bool active = false;     ///< the window a watcher of the session sees
  std::string cwd;         ///< of the foreground process; empty when it cannot be read
  std::string foreground;  ///< name of the foreground process, e.g. "bash" or "vim"
  bool busy = false;       ///< a command of ours runs, or something other than a shell at its
                           ///< prompt has the keyboard
  std::string log_path;
  std::uint64_t log_bytes = 0;         ///< all bytes ever counted for the tab
  std::uint64_t log_gap_bytes = 0;     ///< how many of them are gone, so far
  bool log_gap_unknown = false;        ///< bytes that nobody counted are missing as well
  std::int64_t last_output_at_ms = 0;  ///< since the epoch, UTC; 0: it never printed
  std::string tmux_window;             ///< tmux's own ids of where a person has put it: "@5"
  std::string tmux_session;            ///< "$0"
};

/// What a watcher has seen of the tabs.
struct TabList {
  std::vector<TabInfo> open;
  std::uint64_t changes = 0;  ///< how many had come or gone by then: one that did both since is news, too
};

/// In what lists of tabs differ.
enum class TabNews {
  come_and_gone,  ///< which tabs there are, or were since
  any,            ///< that, or anything of a row but of its log
};

}  // namespace terminally
