#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "system/process_table.hpp"
#include "system/signals.hpp"
#include "tab/detachment.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// What tells a command's processes from those that were there before.
struct CommandMarks {
  std::set<ProcessTag> tags;        ///< its own, and those of commands typed into a shell that it opened
  ProcessId pane;                   ///< terminally-shell
  int shell_pid = 0;                ///< the shell that the command was typed into
  std::uint64_t started_ticks = 0;  ///< when it was typed
  std::vector<int> older_jobs;      ///< that shell's children at that time
};

enum class Whose {
  older,    ///< the process, or an ancestor, was there before the command
  command,  ///< the command's
  unknown,  ///< newer than the command, but its parent is gone without a trace
};

/// Whose a process is. `all`: the processes of the tab.
[[nodiscard]] Whose whose(const SeenProcess& process, const SeenProcesses& all, const CommandMarks& command);

/// A process group of a tab.
struct SeenGroup {
  std::vector<ProcessId> attached;
  bool is_whole = true;            ///< none of it is detached
  bool key_hits_detached = false;  ///< what of it is detached does not ignore the SIGINT of a C-c
};

/// The pane's own process, for Detachment, alive or not: it leads the session of the tab at the tab's
/// terminal.
[[nodiscard]] ProcessInfo leader_of(const Tab& tab);

/// The processes of a tab, looked at again and again, and before they get a signal: with what started it, a
/// process may lose all that tells whose it is. What a look has shown is known to later ones of the tab.
class TabProcesses {
 public:
  /// `shell_pid`: a shell that may be behind another terminal than the tab's (su, sudo); 0: none.
  TabProcesses(ProcessTable& table, const Tab& tab, int shell_pid = 0);

  /// Reads the processes anew, without zombies and the pane's own process. Other coroutines run meanwhile.
  [[nodiscard]] boost::asio::awaitable<void> look();
  [[nodiscard]] const SeenProcesses& seen() const { return seen_; }
  /// As Detachment::why, by what had the foreground at the first look, or at one before.
  [[nodiscard]] std::string why_detached(const SeenProcess& process) const {
    return detachment_->why(process, known_.processes);
  }
  [[nodiscard]] Whose whose(const SeenProcess& process, const CommandMarks& command) const {
    return terminally::whose(process, known_.processes, command);
  }
  [[nodiscard]] SeenGroup group(int number) const;

 private:
  /// Whether a process belongs to the tab by its session, its tag, or the cookie in its environment.
  [[nodiscard]] bool is_in_tab(const MarkedProcess& process) const;
  [[nodiscard]] bool is_child(const MarkedProcess& process) const;

  ProcessTable& table_;
  ProcessId pane_;
  std::vector<ProcessInfo> leaders_;
  std::string cookie_;
  ProcessTag tag_;
  KnownProcesses& known_;
  SeenProcesses seen_;
  std::optional<Detachment> detachment_;
};

[[nodiscard]] Survivor survivor(const ProcessInfo& process, std::string why);

/// Why what is to end is still there.
inline constexpr char kNotEnded[] = "not ended yet";

}  // namespace terminally
