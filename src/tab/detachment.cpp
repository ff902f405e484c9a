// Decides which processes outlive their command and their tab, and says why.
#include "tab/detachment.hpp"

#include <algorithm>
#include <utility>

#include "system/foreground.hpp"

namespace terminally {

void KnownProcesses::add(const SeenProcesses& seen) {
  SeenProcesses kept = seen;
  for (const auto& [pid, process] : seen) {
    auto above = processes.find(process.info.parent);
    while (above != processes.end() && kept.insert(*above).second) {
      above = processes.find(above->second.info.parent);
    }
  }
  processes.swap(kept);
  std::erase_if(sessions_in_front, [this](int session) {
    return std::ranges::none_of(
        processes, [session](const auto& process) { return process.second.info.session == session; });
  });
}

std::optional<int> KnownProcesses::parent_of(const ProcessInfo& process) const {
  const auto found = processes.find(process.pid);
  if (found != processes.end() && found->second.info.id() == process.id()) {
    return found->second.info.parent;
  }
  const auto leader = processes.find(process.session);
  if (!sessions_in_front.contains(process.session) || leader == processes.end() ||
      leader->second.info.start_ticks > process.start_ticks) {
    return std::nullopt;
  }
  return processes.contains(process.parent) ? process.parent : process.session;
}

Detachment::Detachment(std::vector<ProcessInfo> leaders, const SeenProcesses& processes,
                       std::set<int> in_front)
    : leaders_(std::move(leaders)), sessions_in_front_(std::move(in_front)) {
  take_terminal_holders(processes);
  take_in_front(processes);
  while (take_sessions_in_front(processes)) {
    take_in_front(processes);
  }
}

/// Of the group that has the foreground of the tab, or behind that.
bool Detachment::is_in_front(const SeenProcess& process) const {
  return own_reason(process).empty() && (sessions_in_front_.contains(process.info.session) ||
                                         std::ranges::any_of(leaders_, [&process](const ProcessInfo& leader) {
                                           return leader.session == process.info.session &&
                                                  leader.foreground_group == process.info.group;
                                         }));
}

bool Detachment::take_sessions_in_front(const SeenProcesses& processes) {
  bool found = false;
  for (const auto& [pid, process] : processes) {
    const auto parent = processes.find(process.info.parent);
    const bool leads = process.info.session == pid && has_own_session(process.info);
    if (!leads || parent == processes.end() || !is_in_front(parent->second)) {
      continue;
    }
    const std::string& maker = parent->second.info.name;
    if (process.info.terminal != 0 || maker == "setsid" || is_gateway(maker)) {
      sessions_in_front_.insert(pid);
      found = true;
    }
  }
  return found;
}

/// A session that took the tab's own terminal (`setsid -c`) is in front, however it takes signals, and stays
/// the tab's when the terminal is gone.
void Detachment::take_terminal_holders(const SeenProcesses& processes) {
  for (const auto& [pid, process] : processes) {
    const auto has_session = [session = process.info.session](const ProcessInfo& leader) {
      return leader.session == session;
    };
    if (!has_own_session(process.info) && !sessions_in_front_.contains(process.info.session) &&
        std::ranges::none_of(leaders_, has_session)) {
      took_terminal_.insert(process.info.session);
    }
  }
}

/// A process that took the tab's own terminal (`setsid -c`) is in the tab.
bool Detachment::has_own_session(const ProcessInfo& process) const {
  return !took_terminal_.contains(process.session) && !sessions_in_front_.contains(process.session) &&
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
  if (sessions_in_front_.contains(process.session)) {
    return process.pid == process.session || (of_a_shell && process.group == process.foreground_group);
  }
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
