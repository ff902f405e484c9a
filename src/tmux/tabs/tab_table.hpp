#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "instance/instance.hpp"
#include "tab/tab.hpp"
#include "tab/tab_info.hpp"
#include "tmux/tabs/others_commands.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally {

using TabPtr = std::shared_ptr<Tab>;

/// The tmux server that rows came from.
struct RowsOf {
  int server_pid = 0;
  std::uint32_t generation = 0;
};

/// The tabs that are known, open and closed: what tmux last said of each. Asks nobody.
class TabTable {
 public:
  /// All outlive it. The tabs of a guest are shown to a person.
  TabTable(const Instance& instance, const Config& config, TabChanges& changes);

  [[nodiscard]] const std::map<WindowId, TabPtr>& all() const { return tabs_; }
  [[nodiscard]] std::vector<TabPtr> list() const;
  /// How many are open, as far as anybody has noticed.
  [[nodiscard]] std::size_t open() const;
  [[nodiscard]] OthersCommands& others() { return others_; }
  /// None: it is not known.
  [[nodiscard]] TabPtr find(WindowId window) const;
  /// Above the numbers of all that were ever known.
  [[nodiscard]] std::uint32_t next_number() const { return next_number_; }

  /// What a row says of its tab, which `row.tab` names.
  TabPtr take(const PaneRow& row, RowsOf of);
  /// All rows that tmux has. A pane has a row for each session that its window is in. `asked_about`: the tabs
  /// that were known when tmux was asked; one that was opened while its answer was under way is not in it.
  void take_all(const std::vector<PaneRow>& rows, const std::vector<TabPtr>& asked_about, RowsOf of);
  /// One that was closed before we came: its log is still there.
  TabPtr take_closed(WindowId window, std::uint32_t generation);

  /// Those of other tmux servers are closed.
  void keep_open_only_of(int server_pid);
  void forget(WindowId window) { tabs_.erase(window); }
  /// They are found on disk again, when somebody asks for them.
  void forget_closed();

 private:
  const Instance& instance_;
  const Config& config_;
  TabChanges& changes_;
  std::map<WindowId, TabPtr> tabs_;
  OthersCommands others_;
  std::uint32_t next_number_ = 0;
};

/// Whether its process is gone, or it was closed before.
bool notice_if_closed(Tab& tab);

}  // namespace terminally
