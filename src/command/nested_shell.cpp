// Shells inside a tab's own: whether one waits, what was begun in it, and whether a call still finds it.

#include "command/nested_shell.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "command/command_run.hpp"
#include "system/keyboard_wait.hpp"

namespace terminally {
namespace {

/// How many of the last records are looked through for the command that was begun last: a command that opened
/// a shell is written behind those that ran in it.
constexpr std::size_t kNestedRecords = 8;

bool is_open_to_commands(const Tab& tab, const Foreground& front) {
  if (tab.runs.empty()) {
    return front.is_shell() || (front.kind == Foreground::Kind::gateway && !front.runs_program);
  }
  const CommandRun& last = *tab.runs.back();
  return last.has_begun() && last.shells().opened(front);
}

bool is_own_shell(const Tab& tab, const Foreground& front) {
  return tab.runs.empty() && front.kind == Foreground::Kind::shell;
}

/// The nearest shell inside the tab's own that a process is, or was started from.
std::optional<ProcessInfo> shell_around(int pid, int own_shell) {
  for (auto above = process_info(pid); above && above->pid != own_shell;
       above = process_info(above->parent)) {
    if (foreground_of_session(own_shell, above->group).kind == Foreground::Kind::nested) {
      return process_info(above->group);
    }
  }
  return std::nullopt;
}

/// The command that was begun last, as its record has it.
std::optional<CommandRecord> typed_last(const Tab& tab) {
  std::vector<CommandRecord> records = tab.records.load(kNestedRecords);
  const auto last = std::ranges::max_element(records, {}, &CommandRecord::typed_byte);
  return last == records.end() ? std::nullopt : std::optional(std::move(*last));
}

/// The shell that the last command was typed into. nullopt: it has ended, or is the tab's own.
std::optional<MeantShell> last_shell_inside(const Tab& tab, int own_shell) {
  const auto last = typed_last(tab);
  const auto shell = last ? process_info(last->shell_pid) : std::nullopt;
  const bool is_inside =
      shell && shell->state != 'Z' && shell->pid != own_shell && shell->start_ticks <= last->started_ticks;
  return is_inside ? std::optional(MeantShell{shell->id(), shell->name}) : std::nullopt;
}

}  // namespace

bool takes_next_command(const Tab& tab) {
  return is_open_to_commands(tab, look_at_foreground(tab.pane_pid));
}

bool nested_shell_waits(const Tab& tab) {
  const auto last = begun_inside(tab);
  const bool untouched =
      last && last->state != CommandState::running && tab.shell.last_input() <= tab.shell.last_end();
  if (untouched && tab.shell.is_on_its_way(Clock::now())) {
    return true;  // a step of its prompt may have the foreground
  }
  const Foreground front = look_at_foreground(tab.pane_pid);
  return !is_own_shell(tab, front) && is_open_to_commands(tab, front) &&
         end_of_keys(tab.tty, front).foreground.is_shell() &&
         (untouched || prompt_state(front, tab.tty) == Prompt::ready);
}

std::optional<CommandRecord> begun_inside(const Tab& tab) {
  auto latest = typed_last(tab);
  if (!latest || has_run(tab, latest->id)) {
    return std::nullopt;
  }
  const auto inside = [&] {
    if (!tab.runs.empty()) {
      const CommandRun& around = *tab.runs.back();
      return around.has_begun() && latest->typed_byte > around.record().typed_byte;
    }
    const Foreground front = look_at_foreground(tab.pane_pid);
    const auto shell = shell_around(end_of_keys(tab.tty, front).foreground.pid, front.shell_pid);
    return front.kind != Foreground::Kind::shell && latest->shell_pid == (shell ? shell->pid : front.pid);
  };
  return inside() ? std::move(latest) : std::nullopt;
}

std::optional<CommandRecord> others_command_in_front(const Tab& tab) {
  std::optional<int> shell_pid;
  for (const std::string& id : owned_apart(tab.files)) {
    auto record = has_run(tab, id) ? std::nullopt : tab.records.find(id);
    if (!record || record->state != CommandState::running) {
      continue;
    }
    if (!shell_pid) {
      shell_pid = end_of_keys(tab.tty, look_at_foreground(tab.pane_pid)).foreground.pid;
    }
    if (record->shell_pid == *shell_pid && !is_replaced(record->shell_pid, record->shell_image)) {
      return record;
    }
  }
  return std::nullopt;
}

std::optional<MeantShell> meant_shell(const Tab& tab) {
  const Foreground front = look_at_foreground(tab.pane_pid);
  if (const auto shell = shell_around(end_of_keys(tab.tty, front).foreground.pid, front.shell_pid)) {
    return MeantShell{shell->id(), shell->name};
  }
  // What had the terminal may have just ended.
  auto last = front.kind == Foreground::Kind::shell ? std::nullopt : last_shell_inside(tab, front.shell_pid);
  if (last) {
    return last;
  }
  const auto begun =
      std::find_if(tab.runs.rbegin(), tab.runs.rend(), [](const auto& run) { return run->has_begun(); });
  if (begun == tab.runs.rend()) {
    return std::nullopt;
  }
  const CommandShells& shells = (*begun)->shells();
  const bool opened = shells.opened(front) && shells.opened_one();
  const int pid = opened ? front.pid : (*begun)->record().shell_pid;
  const auto shell = opened || pid != front.shell_pid ? process_info(pid) : std::nullopt;
  return shell ? std::optional(MeantShell{shell->id(), shell->name}) : std::nullopt;
}

}  // namespace terminally
