#pragma once

#include <string>

// The environment of terminally-shell (set by tmux/server/server_config.cpp and, for a tab,
// tmux/tabs/window_options.cpp; removed before the shell starts):
//   TERMINALLY_RUN      the instance's runtime directory
//   TERMINALLY_FILES    where the files of commands are (Instance::files)
//   TERMINALLY_LOG_DIR  the directory of logs, whose name is the generation
//   TERMINALLY_SHELL    path of the shell
//   TERMINALLY_LOGIN    "1": start it as a login shell
//   TERMINALLY_NAME     the instance's cookie
//   TERMINALLY_ENV_X    variable X of the tab, for every X that was asked for: tmux changes some of them
//   TMUX_PANE           "%3"

namespace terminally {

struct PaneSetup {
  std::string run_directory;
  std::string files_directory;
  std::string shell;
  bool login = false;
  std::string pane;  // digits only
};

/// Reads our variables, and removes them and tmux's own from the environment that the shell gets.
[[nodiscard]] PaneSetup take_setup();

/// Locks the runtime directory as long as the tab lives: systemd-tmpfiles removes nothing, however old, from
/// a locked directory (tmpfiles.d(5), "age").
void keep_from_cleaners(const PaneSetup& setup);

}  // namespace terminally
