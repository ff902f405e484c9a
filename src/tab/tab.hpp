#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/conventions.hpp"
#include "base/files.hpp"
#include "base/ids.hpp"
#include "base/timeout.hpp"
#include "log/pane_log.hpp"
#include "record/records.hpp"
#include "system/other_readers.hpp"
#include "system/proc.hpp"
#include "system/process_tag.hpp"
#include "tab/command_files.hpp"
#include "tab/detachment.hpp"
#include "tab/sent_inputs.hpp"
#include "tab/shell_state.hpp"

namespace terminally {

class CommandRun;
struct TabAtRest;

/// The state of one tab. Owned by the manager; a command that runs in the tab keeps it alive.
struct Tab {
  /// Where the tab's files are.
  struct Home {
    std::string instance;  ///< the instance's cookie
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

  /// A closed tab, of which only the log and the records are left.
  Tab(WindowId window_id, const Home& home) : Tab(window_id, PaneId{}, home, 0) { closed = true; }

  WindowId window;
  PaneId pane;              ///< the tab's own pane; we never type into panes that a person splits off
  int server_pid;           ///< the next tmux server has a pane of the same number (TmuxClient::of_server)
  std::string tmux_window;  ///< tmux's ids of where the pane is now
  std::string tmux_session;
  std::string cookie;  ///< in the environment of every process started in the tab
  ProcessTag tag;      ///< of processes started in the tab, unless they have a command's tag
  ProcessId pane_pid;  ///< terminally-shell; none once it is gone
  std::string tty;
  std::string name;
  bool active = false;
  bool closed = false;
  bool closing = false;       ///< we are ending what runs in the tab
  bool person_types = false;  ///< whether a person was typing when tmux was asked last
  bool for_person = false;    ///< messages about the tab are for a person at a terminal, who has no tools
  Canceller canceller = Canceller::client;  ///< whom they are told of there, of a cancel by this process
  mutable std::string shell_end;            ///< how the shell ended, once why_closed was called
  int cols = 120;
  int rows = 40;
  bool alternate = false;        ///< as of when tmux was asked last
  mutable OtherReaders readers;  ///< what it has seen
  mutable KnownProcesses known;  ///< the same of TabProcesses
  PaneLog log;
  CommandFiles files;
  CommandRecords records;
  bool records_wait = false;  ///< records wait in memory, and are tried again

  std::shared_ptr<TabAtRest> at_rest;  ///< see tmux/tabs/tab_look.hpp

  /// The commands of this process that run in the tab: several where one opened a shell in which another
  /// runs.
  std::vector<std::shared_ptr<CommandRun>> runs;
  FileLock command_lock;  ///< held while `runs` is not empty
  ShellState shell;       ///< when the tab was opened, our commands ended, and input was sent
  SentInputs sent;        ///< what this process typed lately outside of its commands
  int last_exit = 0;      ///< the exit code of our last command in the tab

  /// `$PWD` of a shell at the end of our last command: it may lead through links.
  struct Pwd {
    int shell_pid = 0;
    std::string nonce;
    std::string path;  ///< empty: not known, or not read yet
  };
  Pwd pwd;
  /// The shell writes it a moment behind END; it is kept when the files of that command go.
  const std::string& read_pwd() {
    pwd.path = pwd.path.empty() ? files.pwd_at_end(pwd.nonce) : pwd.path;
    return pwd.path;
  }
};

}  // namespace terminally
