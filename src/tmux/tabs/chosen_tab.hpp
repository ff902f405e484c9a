#pragma once

#include <optional>
#include <string>

#include "base/files.hpp"
#include "base/ids.hpp"
#include "tab/shell_gateway.hpp"
#include "tab/tab_turns.hpp"
#include "tmux/tabs/tab_table.hpp"

namespace terminally {

/// Where a command is to run.
struct WantedPlace {
  std::optional<WindowId> window;  ///< none: the client's own `main`, or a helper tab while that is busy
  std::string cwd;                 ///< where its shell is then, as after `cd`; empty: where it is
  std::string client;              ///< whose `main`; see OwnMains
};

/// The tab that a command runs in, and the turn in it.
struct ChosenTab {
  TabPtr tab;
  TabTurns::Guard guard;
  FileLock reserved;  ///< the tab's lock, where the caller named no tab: other processes choose, too
  std::optional<MeantShell> meant_for;
  std::string directory;  ///< where its command must begin; empty: anywhere
  std::string note;       ///< why it is not the tab "main", or a new one; empty when the caller named the tab
};

}  // namespace terminally
