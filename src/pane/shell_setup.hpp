#pragma once

#include <string>

// What terminally-shell is told by its environment (set by server/server_config.cpp, removed before the shell
// starts):
//   TERMINALLY_RUN    the instance's runtime directory
//   TERMINALLY_FILES  where the files of commands are (Instance::files)
//   TERMINALLY_SHELL  path of the shell
//   TERMINALLY_LOGIN  "1": start it as a login shell
//   TERMINALLY_NAME   the instance's cookie
//   TERMINALLY_ENV_X  variable X of the tab, for every X that was asked for: tmux has its own idea of some
//   TMUX_PANE         "%3"

namespace terminally {

struct PaneSetup {
  std::string run_directory;
  std::string files_directory;
  std::string shell;
  bool login = false;
  std::string pane;  // digits only
};

/// Reads our variables and takes them, and tmux's own, out of the environment that the shell gets.
[[nodiscard]] PaneSetup take_setup();

/// As long as a tab lives: systemd-tmpfiles takes nothing, however old, from a directory that is locked
/// (tmpfiles.d(5), "age").
void keep_from_cleaners(const PaneSetup& setup);

}  // namespace terminally
