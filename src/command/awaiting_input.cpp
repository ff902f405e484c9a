#include "command/awaiting_input.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "command/command_run.hpp"
#include "log/unfinished_line.hpp"
#include "system/foreground.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

using Kind = AwaitingInput::Kind;

/// How many processes of a tab are looked at, those nearest to the shell first: a bound to what a look costs.
constexpr std::size_t kMostProcesses = 64;

/// A process of the foreground group, and which of the list started it.
struct Member {
  ProcessInfo info;
  std::size_t parent = 0;  ///< its own place for the first
};

/// The shell and everything below it, the foreground group or not.
std::vector<Member> processes_below(int shell_pid) {
  std::vector<Member> members;
  for (ProcessInfo& process : process_tree(shell_pid, kMostProcesses)) {
    const auto parent =
        std::ranges::find(members, process.parent, [](const Member& m) { return m.info.pid; });
    members.push_back(Member{std::move(process), parent == members.end()
                                                     ? 0
                                                     : static_cast<std::size_t>(parent - members.begin())});
  }
  return members;
}

bool is_above(const std::vector<Member>& members, std::size_t upper, std::size_t lower) {
  while (lower != 0 && lower != upper) {
    lower = members[lower].parent;
  }
  return lower == upper;
}

/// Whether a shell in the foreground is at its own prompt, with nothing of ours to do.
bool is_idle_shell(const Tab& tab, const Foreground& foreground) {
  if (!foreground.is_shell()) {
    return false;
  }
  const auto run = std::find_if(tab.runs.rbegin(), tab.runs.rend(), [&foreground](const auto& candidate) {
    return candidate->record().shell_pid == foreground.pid;
  });
  if (run != tab.runs.rend()) {
    const CommandRecord& record = (*run)->record();
    const bool begun = record.start_byte > record.typed_byte;
    return !begun || (*run)->has_ended() || tab.files.exit_code(record.nonce).has_value();
  }
  if (foreground.kind == Foreground::Kind::nested) {
    return false;
  }
  const auto nonce = tab.files.running_nonce();
  return !nonce || tab.files.exit_code(*nonce).has_value();
}

/// What the group waits for, as far as one of it can tell.
struct GroupWait {
  TtyWait wait = TtyWait::no;
  int pid = 0;
};

/// `sleep` in `cat | sleep 9` goes on by itself whatever is typed. What started the reader, or was started by
/// it, does not matter: the reader decides when it goes on.
bool another_goes_on(const std::vector<Member>& members, std::size_t reader, int group) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].info.group == group && !is_above(members, i, reader) && !is_above(members, reader, i) &&
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

GroupWait group_wait(const Foreground& foreground, dev_t terminal, bool line_mode) {
  if (line_mode && is_still_started(foreground)) {
    return {};
  }
  const std::vector<Member> members = processes_below(foreground.shell_pid);
  GroupWait best;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProcessInfo& process = members[i].info;
    if (process.group != foreground.group || process.state == 'Z') {
      continue;
    }
    const TtyWait wait = tty_wait(process.pid, terminal);
    const bool counts = wait > best.wait && !(line_mode && another_goes_on(members, i, foreground.group));
    if (counts) {
      best = GroupWait{wait, process.pid};
    }
  }
  return best;
}

std::optional<Kind> kind_of_wait(const Tab& tab, const Foreground& foreground, TerminalMode mode) {
  const GroupWait group = group_wait(foreground, terminal_device(tab.tty), mode.line && mode.echo);
  const bool gateway = foreground.kind == Foreground::Kind::gateway;
  if (!mode.line) {
    if (gateway || group.wait == TtyWait::no) {
      return std::nullopt;  // what a far side waits for is not to be seen here
    }
    const bool shell = foreground.shell && group.pid == foreground.pid;
    const bool edits =
        (shell && !mode.echo) || (has_line_editor(group.pid) && !unfinished_line(tab.log, tab.cols).empty());
    return edits ? Kind::line : Kind::program;
  }
  if (!mode.echo) {
    // su and sudo are another user's: their mode is all that can be seen.
    return group.wait != TtyWait::no || gateway ? std::optional(Kind::password) : std::nullopt;
  }
  if (group.wait == TtyWait::only) {
    return Kind::line;
  }
  // A server may have the keyboard among what it listens to; a program that asks leaves its question open.
  const bool asks = group.wait == TtyWait::among && !gateway && !unfinished_line(tab.log, tab.cols).empty();
  return asks ? std::optional(Kind::line) : std::nullopt;
}

}  // namespace

std::optional<AwaitingInput> awaiting_input(const Tab& tab, TextGuard* guard) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (foreground.kind == Foreground::Kind::nothing || foreground.shell_pid == 0 ||
      is_idle_shell(tab, foreground)) {
    return std::nullopt;
  }
  const auto seen = [&] {
    const auto mode = terminal_mode(tab.tty);
    return mode ? kind_of_wait(tab, foreground, *mode) : std::nullopt;
  };
  // Where others start or end beside it, a look at the children of a process may miss one: `children`,
  // proc(5).
  const auto kind = seen();
  const bool waits = kind && seen() == kind;
  return waits ? std::optional(AwaitingInput{*kind, unfinished_line(tab.log, tab.cols, guard)})
               : std::nullopt;
}

std::optional<AwaitingInput> SettledInput::look(const Tab& tab) {
  const PaneLog::Stamp log = tab.log.stamp();
  const bool printed = std::exchange(log_, log) != log;
  const bool still = stillness_.lasts(tab.pane_pid.pid);
  moved_ = printed || !still;
  std::optional<AwaitingInput> now = moved_ ? awaiting_input(tab) : seen_;
  const bool settled = now && seen_ && now->kind == seen_->kind && !printed;
  seen_ = std::move(now);
  return settled ? seen_ : std::nullopt;
}

}  // namespace terminally
