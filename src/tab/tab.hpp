#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/ids.hpp"
#include "base/timeout.hpp"
#include "log/pane_log.hpp"
#include "system/proc.hpp"
#include "system/process_tag.hpp"
#include "tab/command_files.hpp"
#include "tab/records.hpp"
#include "tab/shell_state.hpp"

namespace terminally {

class CommandRun;
struct TabAtRest;

/// What is known of one tab. Owned by the manager; a command that runs in it keeps it alive.
struct Tab {
  /// Where its things are.
  struct Home {
    std::string instance;  ///< its cookie
    std::uint32_t generation = 0;
    std::filesystem::path log;
    std::filesystem::path runtime;
    /// Instance::files; none: `runtime`.
    std::filesystem::path files = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  };

  Tab(WindowId window_id, PaneId pane_id, const Home& home, int tmux_server_pid)
      : window(window_id),
        pane(pane_id),
        server_pid(tmux_server_pid),
        cookie("TERMINALLY_TAB=" + home.instance + ":" + std::to_string(home.generation) + "." +
               std::to_string(pane_id.number)),
        tag(tab_tag(home.instance, home.generation, pane_id.number)),
        log(home.log),
        files(home.runtime, pane_id, home.files),
        records(std::filesystem::path(home.log).replace_extension(".commands")) {}

  /// One of which only the log and the records are left.
  Tab(WindowId window_id, const Home& home) : Tab(window_id, PaneId{}, home, 0) { closed = true; }

  WindowId window;
  PaneId pane;              ///< the tab's own pane; what a person splits off is not ours to type into
  int server_pid;           ///< the next tmux server has a pane of the same number (TmuxClient::of_server)
  std::string tmux_window;  ///< tmux's ids of where it is now
  std::string tmux_session;
  std::string cookie;  ///< in the environment of everything that was started in it
  ProcessTag tag;      ///< what was started in it has it, or one of a command in it
  ProcessId pane_pid;  ///< terminally-shell; none once it is gone
  std::string tty;
  std::string name;
  bool active = false;
  bool closed = false;
  bool closing = false;           ///< by us: what runs in it is being ended
  bool person_types = false;      ///< by a person, just when tmux was asked last
  bool for_person = false;        ///< what is said of it is read by a person at a terminal, who has no tools
  mutable std::string shell_end;  ///< how its shell ended, once that was asked for
  int cols = 120;
  PaneLog log;
  CommandFiles files;
  CommandRecords records;
  bool records_wait = false;  ///< until they can be written; they are tried again meanwhile

  std::shared_ptr<TabAtRest> at_rest;  ///< see command/tab_look.hpp

  /// The commands of this process that run in it: more than one where a command opened a nested shell and
  /// another runs in that.
  std::vector<std::shared_ptr<CommandRun>> runs;
  FileLock command_lock;  ///< held while `runs` is not empty
  ShellState shell;       ///< when it was opened, commands of ours ended, and input was sent
  int last_exit = 0;      ///< of the last command of ours in it
};

}  // namespace terminally
