#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "system/process_table.hpp"
#include "system/signals.hpp"
#include "tab/results.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// A process of a tab, as far as it has to be known to say whose it is.
struct SeenProcess {
  ProcessInfo info;
  std::optional<ProcessTag> tag;
};
using SeenProcesses = std::map<int, SeenProcess>;

/// What is known of a command whose processes are to be told from those that were there before.
struct CommandMarks {
  std::set<ProcessTag> tags;        ///< its own, and of commands that were typed into a shell that it opened
  ProcessId pane;                   ///< terminally-shell
  int shell_pid = 0;                ///< the shell that it was typed into
  std::uint64_t started_ticks = 0;  ///< when it was typed
  std::vector<int> older_jobs;      ///< that shell's children of then
};

enum class Whose {
  older,    ///< it, or what it descends from, was there before the command
  command,  ///< the command's
  unknown,  ///< newer than the command, but what started it is gone and left no trace
};

/// `all`: of the tab.
[[nodiscard]] Whose whose(const SeenProcess& process, const SeenProcesses& all, const CommandMarks& command);

/// The processes of a tab, looked at again and again.
class TabProcesses {
 public:
  TabProcesses(ProcessTable& table, const Tab& tab);

  /// Zombies are left out, and so is the pane's own process. Lets others run meanwhile.
  [[nodiscard]] boost::asio::awaitable<void> look();
  [[nodiscard]] const SeenProcesses& seen() const { return seen_; }

 private:
  /// By its session, its tag, or the cookie in its environment.
  [[nodiscard]] bool is_in_tab(const MarkedProcess& process) const;
  [[nodiscard]] bool is_child(const MarkedProcess& process) const;

  ProcessTable& table_;
  ProcessId pane_;
  std::string cookie_;
  ProcessTag tag_;
  SeenProcesses seen_;
};

[[nodiscard]] Survivor survivor(const ProcessInfo& process);

}  // namespace terminally
