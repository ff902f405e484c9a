// Finds who waits for a terminal's keyboard: in its foreground group, behind a terminal or a session
// that one of it made, or stopped in the background.
#include "system/keyboard_wait.hpp"

#include <sys/sysmacros.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "system/proc.hpp"

namespace terminally {
namespace {

/// How many processes of a tab are looked at, those nearest to the shell first: a bound to what a look costs.
constexpr std::size_t kMostProcesses = 64;

/// A process of the terminal, and which of the list started it.
struct Member {
  ProcessInfo info;
  std::size_t parent = 0;  ///< its own place for the first
  bool in_front = false;   ///< of the foreground group, or has its keyboard behind it
};

/// The shell and everything below it, in front or not.
std::vector<Member> processes_below(const Foreground& foreground, dev_t terminal) {
  std::vector<Member> members;
  for (ProcessInfo& process : process_tree(foreground.shell_pid, kMostProcesses)) {
    const auto found = std::ranges::find(members, process.parent, [](const Member& m) { return m.info.pid; });
    const auto parent = found == members.end() ? 0 : static_cast<std::size_t>(found - members.begin());
    const bool in_front =
        process.group == foreground.group ||
        (found != members.end() && found->in_front && has_keyboard_without_terminal(process, terminal));
    members.push_back(Member{std::move(process), parent, in_front});
  }
  return members;
}

bool is_above(const std::vector<Member>& members, std::size_t upper, std::size_t lower) {
  while (lower != 0 && lower != upper) {
    lower = members[lower].parent;
  }
  return lower == upper;
}

/// `sleep` in `cat | sleep 9` goes on by itself whatever is typed. What started the reader, or was started by
/// it, does not matter: the reader decides when it goes on.
bool another_goes_on(const std::vector<Member>& members, std::size_t reader) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].in_front && !is_above(members, i, reader) && !is_above(members, reader, i) &&
        goes_on_by_itself(members[i].info.pid)) {
      return true;
    }
  }
  return false;
}

/// Whether the shell that the foreground's job belongs to, above it and in another group, has yet to start
/// some of it: of `cat | sleep 9` only `cat` may be there.
bool is_still_started(const Foreground& foreground) {
  auto above = process_info(foreground.pid);
  while (above && above->group == foreground.group && above->pid != foreground.shell_pid) {
    above = process_info(above->parent);
  }
  return above && above->group != foreground.group && starts_processes(above->pid);
}

}  // namespace

GroupWait group_wait(const Foreground& foreground, dev_t terminal, bool line_mode) {
  if (line_mode && is_still_started(foreground)) {
    return {};
  }
  const std::vector<Member> members = processes_below(foreground, terminal);
  GroupWait best;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProcessInfo& process = members[i].info;
    if (!members[i].in_front || process.state == 'Z') {
      continue;
    }
    const TtyWait wait = tty_wait(process.pid, terminal);
    const bool counts = wait > best.wait && !(line_mode && another_goes_on(members, i));
    if (counts) {
      best = GroupWait{wait, process.pid};
    }
  }
  return best;
}

std::optional<InnerTerminal> inner_terminal(const Foreground& foreground, dev_t terminal) {
  const std::vector<Member> members = processes_below(foreground, terminal);
  for (std::size_t i = 1; i < members.size(); ++i) {
    const ProcessInfo& process = members[i].info;
    const Member& maker = members[members[i].parent];
    const bool made = maker.in_front && process.session != maker.info.session;
    if (!made || process.terminal == 0 || process.terminal == terminal || process.foreground_group <= 0) {
      continue;
    }
    const std::string tty = "/dev/pts/" + std::to_string(minor(process.terminal));
    if (terminal_device(tty) == process.terminal && !has_namesake_open(process.pid, process.terminal)) {
      return InnerTerminal{tty, foreground_of_session(process.pid, process.foreground_group)};
    }
  }
  return std::nullopt;
}

InnerTerminal end_of_keys(const std::string& tty, const Foreground& foreground) {
  InnerTerminal end{tty, foreground};
  while (end.foreground.kind == Foreground::Kind::gateway) {
    const auto mode = terminal_mode(end.tty);
    const bool passes_on = mode && !mode->line;
    auto inner = passes_on ? inner_terminal(end.foreground, terminal_device(end.tty)) : std::nullopt;
    if (!inner || !terminal_mode(inner->tty)) {
      break;
    }
    end = std::move(*inner);
  }
  return end;
}

std::string describe(const StoppedProgram& stopped) {
  return "pid " + std::to_string(stopped.pid) + " (" + describe_process(stopped.pid) + ") is stopped" +
         (stopped.wants_keyboard ? ": it wants the keyboard from the background" : "");
}

std::optional<StoppedProgram> stopped_program(const Foreground& foreground, dev_t terminal,
                                              std::uint64_t since_ticks) {
  std::optional<StoppedProgram> stopped;
  for (const Member& member : processes_below(foreground, terminal)) {
    const ProcessInfo& process = member.info;
    if (process.start_ticks < since_ticks || process.pid == foreground.shell_pid) {
      continue;
    }
    if (goes_on_by_itself(process.pid)) {
      return std::nullopt;
    }
    if (process.state == 'T' && !stopped) {
      const bool wants = process.group != foreground.group && was_stopped_at_terminal(process.pid, terminal);
      stopped = StoppedProgram{process.pid, wants};
    }
  }
  return stopped;
}

}  // namespace terminally
