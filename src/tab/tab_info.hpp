#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "base/ids.hpp"
#include "record/record.hpp"

namespace terminally {

// What clients and watchers get to know of tabs.

/// The command that was begun last in a tab, by any process of ours.
struct LastCommand {
  std::string text;
  CommandState state = CommandState::running;
  std::optional<int> exit_code;
  std::int64_t started_at_ms = 0;               ///< since the epoch, UTC
  std::optional<AwaitingInput> awaiting_input;  ///< of one that runs
};

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
  std::uint64_t log_gap_bytes = 0;     ///< how many of these bytes are gone
  bool log_gap_unknown = false;        ///< bytes that nobody counted are missing as well
  std::int64_t last_output_at_ms = 0;  ///< since the epoch, UTC; 0: no output yet
  std::optional<LastCommand> command;
  std::string tmux_window;   ///< tmux's own ids of where a person has put it: "@5"
  std::string tmux_session;  ///< "$0"
};

/// The list of tabs that a watcher has seen.
struct TabList {
  std::vector<TabInfo> open;
  std::uint64_t changes = 0;  ///< how many tabs had come or gone: so a tab that did both since is news, too
};

/// Which differences between two lists of tabs count.
enum class TabNews {
  come_and_gone,  ///< tabs that came or went
  any,            ///< that, or any field of a row but those of the log
};

/// Counts how often tabs came or went, and tells watchers. Tabs that we open or close are reported directly,
/// because before the first tab there is no directory of logs to watch.
class TabChanges {
 public:
  /// TabList::changes.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// An event that is set at each change from now on. The watcher clears the event, and holds it as long as
  /// it watches.
  [[nodiscard]] std::shared_ptr<Event> news();

  void came_or_went();
  /// Reports that something of a tab changed, but no tab came or went.
  void differs();

 private:
  std::uint64_t count_ = 0;
  std::vector<std::weak_ptr<Event>> told_;
};

/// Whether two lists are the same to a watcher for this kind of news.
[[nodiscard]] bool same_tabs(const TabList& a, const TabList& b, TabNews news);

}  // namespace terminally
