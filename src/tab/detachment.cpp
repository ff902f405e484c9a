// Decides which processes outlive their command and their tab, and says why.
#include "tab/detachment.hpp"

#include <algorithm>
#include <utility>

namespace terminally {

Detachment::Detachment(std::vector<ProcessInfo> leaders, const SeenProcesses& processes)
    : leaders_(std::move(leaders)) {
  take_terminal_holders(processes);
  take_in_front(processes);
}

/// A session that took the tab's own terminal (`setsid -c`) is in front, however it takes signals, and stays
/// the tab's when the terminal is gone.
void Detachment::take_terminal_holders(const SeenProcesses& processes) {
  for (const auto& [pid, process] : processes) {
    const auto has_session = [session = process.info.session](const ProcessInfo& leader) {
      return leader.session == session;
    };
    if (!has_own_session(process.info) && std::ranges::none_of(leaders_, has_session)) {
      took_terminal_.insert(process.info.session);
    }
  }
}

/// A process that took the tab's own terminal (`setsid -c`) is in the tab.
bool Detachment::has_own_session(const ProcessInfo& process) const {
  return !took_terminal_.contains(process.session) &&
         std::ranges::none_of(leaders_, [&process](const ProcessInfo& leader) {
           return leader.session == process.session ||
                  (leader.terminal != 0 && leader.terminal == process.terminal);
         });
}

/// Whether a shell of the tab waits for it, or it is that shell: its group has the foreground, and what
/// started it is there and in another group. (What a script in the foreground starts by nohup is in the
/// script's group.)
bool Detachment::is_waited_for(const ProcessInfo& process, const SeenProcesses& all) const {
  const auto parent = all.find(process.parent);
  const bool of_a_shell = parent != all.end() && parent->second.info.group != process.group;
  const auto any_leader = [this](auto is) { return std::ranges::any_of(leaders_, is); };
  return any_leader([&process](const ProcessInfo& leader) {
           return leader.session == process.session && leader.foreground_group == process.group;
         }) &&
         (of_a_shell || any_leader([&process](const ProcessInfo& leader) {
            return leader.pid == process.parent && leader.group != process.group;
          }));
}

/// What a shell waits for, the shells around it, and what inherited from it that it ignores SIGHUP.
void Detachment::take_in_front(const SeenProcesses& processes) {
  for (const auto& [pid, process] : processes) {
    if (!is_waited_for(process.info, processes)) {
      continue;
    }
    auto around = processes.find(pid);
    while (around != processes.end() && in_front_.insert(around->first).second) {
      around = processes.find(around->second.info.parent);
    }
  }
  for (bool found = true; std::exchange(found, false);) {
    for (const auto& [pid, process] : processes) {
      const auto parent = processes.find(process.info.parent);
      const bool inherited = parent != processes.end() && !parent->second.hangup.empty() &&
                             in_front_.contains(parent->first) &&
                             parent->second.info.group == process.info.group;
      found = (inherited && in_front_.insert(pid).second) || found;
    }
  }
}

std::string Detachment::own_reason(const SeenProcess& process) const {
  if (has_own_session(process.info)) {
    return "a session of its own";
  }
  const bool is_in_front =
      in_front_.contains(process.info.pid) || took_terminal_.contains(process.info.session);
  return is_in_front ? std::string() : std::string(process.hangup);
}

std::string Detachment::why(const SeenProcess& process, const SeenProcesses& all) const {
  const SeenProcess* above = &process;
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    if (const std::string reason = own_reason(*above); !reason.empty()) {
      return above == &process ? reason : "started by pid " + std::to_string(above->info.pid) + ": " + reason;
    }
    const auto parent = all.find(above->info.parent);
    if (parent == all.end()) {
      break;
    }
    above = &parent->second;
  }
  return {};
}

}  // namespace terminally
