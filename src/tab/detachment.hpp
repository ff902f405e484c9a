#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "system/proc.hpp"
#include "system/process_tag.hpp"

namespace terminally {

/// A process of a tab, with what tells whose it is.
struct SeenProcess {
  ProcessInfo info;
  std::optional<ProcessTag> tag;
  std::string_view hangup;  ///< as outlives_hangup
};
using SeenProcesses = std::map<int, SeenProcess>;

/// What earlier looks at a tab have shown, and a later one cannot: by then what started a process, or waited
/// for it, may have ended. sudo and `su -` clear what would tell whose it is.
struct KnownProcesses {
  SeenProcesses processes;          ///< with the parents that they had; those above a living one, gone or not
  std::set<int> sessions_in_front;  ///< as Detachment::sessions_in_front

  /// Adds what a look has shown, and forgets what no living process descends from.
  void add(const SeenProcesses& seen);
  /// The pid of what started it, which may be gone; for an orphan of a session in front what leads that.
  /// None: nothing is known of it.
  [[nodiscard]] std::optional<int> parent_of(const ProcessInfo& process) const;
};

/// Tells which processes were detached from their tab on purpose: those that ignore SIGHUP or have a session
/// of their own, with all that these start. What has the foreground of the tab is not detached, however it
/// takes signals. Pure.
class Detachment {
 public:
  /// `leaders`: the pane's own process (terminally-shell), by its session and its terminal, and the shell
  /// that a command was typed into, if that is behind another terminal. `processes`: of the tab, at that
  /// moment: who has the foreground is known from this look. `in_front`: sessions that were so before.
  Detachment(std::vector<ProcessInfo> leaders, const SeenProcesses& processes, std::set<int> in_front = {});

  /// The sessions that a program in front began for what it waits for there: su -c and setsid -w, which we
  /// know, and who gave one a terminal of its own (sudo, script, expect).
  [[nodiscard]] const std::set<int>& sessions_in_front() const { return sessions_in_front_; }

  /// Why the process outlives its command and its tab. Empty: it does not.
  [[nodiscard]] std::string why(const SeenProcess& process, const SeenProcesses& all) const;

 private:
  [[nodiscard]] std::string own_reason(const SeenProcess& process) const;
  [[nodiscard]] bool has_own_session(const ProcessInfo& process) const;
  [[nodiscard]] bool is_waited_for(const ProcessInfo& process, const SeenProcesses& all) const;
  void take_terminal_holders(const SeenProcesses& processes);
  void take_in_front(const SeenProcesses& processes);
  [[nodiscard]] bool take_sessions_in_front(const SeenProcesses& processes);
  [[nodiscard]] bool is_in_front(const SeenProcess& process) const;

  std::vector<ProcessInfo> leaders_;
  std::set<int> took_terminal_;  ///< sessions
  std::set<int> in_front_;
  std::set<int> sessions_in_front_;
};

}  // namespace terminally
