// Finds a process of another session that reads the terminal at which a shell has its prompt.
#include "system/other_readers.hpp"

#include <utility>

#include "system/terminal.hpp"

namespace terminally {
namespace {

/// After that many ticks of 10 ms a process that has not opened the terminal counts as a stranger: what opens
/// one by its name (pinentry) does so first of all.
constexpr std::uint64_t kOpensWithin = 100;

bool is_below(int pid, int above) {
  auto process = process_info(pid);
  while (process && process->pid != above) {
    process = process_info(process->parent);
  }
  return process.has_value();
}

std::set<int> with_those_above(int pid) {
  std::set<int> found;
  for (auto process = process_info(pid); process && found.insert(process->pid).second;) {
    process = process_info(process->parent);
  }
  return found;
}

}  // namespace

std::optional<ProcessInfo> OtherReaders::look(const Foreground& shell, ProcessId pane,
                                              const std::string& tty) {
  const std::uint64_t waited_for = waited_children(shell.pid);
  const bool same = std::exchange(waited_for_, waited_for) == waited_for;
  if (std::exchange(shell_, shell.pid) == shell.pid && same && !is_used_ &&
      child_processes(shell.pid).empty()) {
    return std::nullopt;
  }
  return look_at_all(shell, pane, terminal_device(tty));
}

std::optional<ProcessInfo> OtherReaders::look_at_all(const Foreground& shell, ProcessId pane,
                                                     dev_t terminal) {
  const auto own = process_info(shell.pid);
  const std::set<int> own_line = with_those_above(shell.pid);
  const std::uint64_t now = ticks_since_boot();
  std::set<int> strangers;
  std::optional<ProcessInfo> reader;
  is_used_ = false;
  for (const int pid : all_pids()) {
    if (strangers_.contains(pid)) {
      strangers.insert(pid);
      continue;
    }
    auto process = process_info(pid);
    if (!process || process->state == 'Z' || own_line.contains(pid)) {
      continue;
    }
    const bool is_older = process->start_ticks < pane.start_ticks;
    if (is_older || !has_open(pid, terminal)) {
      if (is_older || process->start_ticks + kOpensWithin < now) {
        strangers.insert(pid);
      }
      continue;
    }
    is_used_ = true;
    // Behind su and its like the shell itself may be in a session of its own.
    const bool is_of_gateway = shell.kind == Foreground::Kind::gateway && is_below(pid, shell.pid);
    if (!reader && own && process->session != own->session && !is_of_gateway &&
        tty_wait(pid, terminal) >= TtyWait::among) {
      reader = std::move(process);
    }
  }
  strangers_ = std::move(strangers);
  return reader;
}

std::string describe_reader(const ProcessInfo& reader) {
  return "pid " + std::to_string(reader.pid) + " (" + describe_process(reader.pid) +
         "), in a session of its own, reads the tab's keyboard";
}

}  // namespace terminally
