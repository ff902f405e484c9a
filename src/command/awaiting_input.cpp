#include "command/awaiting_input.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "command/command_run.hpp"
#include "log/unfinished_line.hpp"
#include "system/foreground.hpp"
#include "system/keyboard_wait.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

using Kind = AwaitingInput::Kind;

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

/// A terminal of the tab: its own, or one that a program in it made.
struct Place {
  std::string tty;
  Foreground foreground;
};

struct Verdict {
  std::optional<Kind> kind = std::nullopt;
  bool unseen = false;  ///< whether anybody waits cannot be seen
  [[nodiscard]] friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// Keys are passed on as they come: who reads them in the end decides. A shell at its prompt there is looked
/// for by CommandShells.
Verdict verdict_on_keys(const Tab& tab, const Place& place, const GroupWait& group, bool echo) {
  const Foreground& foreground = place.foreground;
  if (foreground.kind == Foreground::Kind::gateway) {
    return {.unseen = true};  // what a far side waits for is not to be seen here
  }
  if (group.wait == TtyWait::no) {
    return {};
  }
  const bool shell = foreground.shell && group.pid == foreground.pid;
  const bool edits =
      (shell && !echo) || (has_line_editor(group.pid) && !unfinished_line(tab.log, tab.cols).empty());
  return {edits ? Kind::line : Kind::program};
}

Verdict verdict(const Tab& tab, const Place& place) {
  const auto mode = terminal_mode(place.tty);
  if (!mode) {
    return {.unseen = true};
  }
  const dev_t terminal = terminal_device(place.tty);
  const bool gateway = place.foreground.kind == Foreground::Kind::gateway;
  const auto inner = mode->line ? std::nullopt : inner_terminal(place.foreground, terminal);
  if (inner) {
    const bool prompt = gateway && !place.foreground.runs_program;
    return prompt ? Verdict() : verdict(tab, {inner->tty, inner->foreground});
  }
  const GroupWait group = group_wait(place.foreground, terminal, mode->line && mode->echo);
  if (!mode->line) {
    return verdict_on_keys(tab, place, group, mode->echo);
  }
  if (!mode->echo) {
    // su and sudo are another user's: their mode is all that can be seen.
    return group.wait != TtyWait::no || gateway ? Verdict{Kind::password} : Verdict();
  }
  // A server may have the keyboard among what it listens to; a program that asks leaves its question open.
  const bool asks = group.wait == TtyWait::among && !gateway && !unfinished_line(tab.log, tab.cols).empty();
  return group.wait == TtyWait::only || asks ? Verdict{Kind::line}
                                             : Verdict{.unseen = group.wait == TtyWait::unknown};
}

/// What of a command was stopped, while nothing else of it goes on. What was stopped before is somebody's.
std::optional<AwaitingInput> stopped_input(const Tab& tab, const Foreground& foreground) {
  const auto program = process_info(foreground.pid);
  const bool has_run = !tab.runs.empty();
  if (!program || (!has_run && foreground.is_shell())) {
    return std::nullopt;
  }
  const std::uint64_t since = has_run ? tab.runs.back()->record().started_ticks : program->start_ticks;
  const auto stopped = stopped_program(foreground, terminal_device(tab.tty), since);
  return stopped ? std::optional(AwaitingInput{Kind::stopped, describe(*stopped)}) : std::nullopt;
}

}  // namespace

std::optional<AwaitingInput> awaiting_input(const Tab& tab, TextGuard* guard) {
  const Place place{tab.tty, look_at_foreground(tab.pane_pid)};
  const Foreground& foreground = place.foreground;
  if (foreground.kind == Foreground::Kind::nothing || foreground.shell_pid == 0 ||
      is_idle_shell(tab, foreground)) {
    return std::nullopt;
  }
  // Where others start or end beside it, a look at the children of a process may miss one: `children`,
  // proc(5).
  const auto kind = verdict(tab, place).kind;
  if (!kind || verdict(tab, place).kind != kind) {
    return kind ? std::nullopt : stopped_input(tab, foreground);
  }
  return AwaitingInput{*kind, unfinished_line(tab.log, tab.cols, guard)};
}

bool waits_unseen(const Tab& tab) {
  return verdict(tab, {tab.tty, look_at_foreground(tab.pane_pid)}).unseen;
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
