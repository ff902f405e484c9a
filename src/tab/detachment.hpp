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

/// Tells which processes were detached from their tab on purpose: those that ignore SIGHUP or have a session
/// of their own, with all that these start. What has the foreground of the tab is not detached, however it
/// takes signals. Pure.
class Detachment {
 public:
  /// `leaders`: the pane's own process (terminally-shell), by its session and its terminal, and the shell
  /// that a command was typed into, if that is behind another terminal. `processes`: of the tab, at that
  /// moment: who has the foreground is known from this look.
  Detachment(std::vector<ProcessInfo> leaders, const SeenProcesses& processes);

  /// Why the process outlives its command and its tab. Empty: it does not.
  [[nodiscard]] std::string why(const SeenProcess& process, const SeenProcesses& all) const;

 private:
  [[nodiscard]] std::string own_reason(const SeenProcess& process) const;
  [[nodiscard]] bool has_own_session(const ProcessInfo& process) const;
  [[nodiscard]] bool is_waited_for(const ProcessInfo& process, const SeenProcesses& all) const;
  void take_terminal_holders(const SeenProcesses& processes);
  void take_in_front(const SeenProcesses& processes);

  std::vector<ProcessInfo> leaders_;
  std::set<int> took_terminal_;  ///< sessions
  std::set<int> in_front_;
};

}  // namespace terminally
