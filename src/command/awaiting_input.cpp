#include "command/awaiting_input.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "command/command_run.hpp"
#include "log/log_end.hpp"
#include "log/unfinished_line.hpp"
#include "system/foreground.hpp"
#include "system/keyboard_wait.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"
#include "tab/keyboard_look.hpp"

namespace terminally {
namespace {

using Kind = AwaitingInput::Kind;

/// Whether this shell runs a command of ours. None: none was typed into it.
std::optional<bool> runs_ours(const Tab& tab, const Foreground& shell) {
  const auto run = std::find_if(tab.runs.rbegin(), tab.runs.rend(), [&shell](const auto& candidate) {
    return candidate->record().shell_pid == shell.pid;
  });
  if (run == tab.runs.rend()) {
    return std::nullopt;
  }
  const CommandRecord& record = (*run)->record();
  const bool begun = record.start_byte > record.typed_byte;
  return begun && !(*run)->has_ended() && !tab.files.exit_code(record.nonce);
}

/// Whether a shell in the foreground is at its own prompt, with nothing of ours to do.
bool is_idle_shell(const Tab& tab, const Foreground& foreground) {
  if (!foreground.is_shell()) {
    return false;
  }
  if (const auto ours = runs_ours(tab, foreground)) {
    return !*ours;
  }
  if (foreground.kind == Foreground::Kind::nested) {
    return false;
  }
  const auto nonce = tab.files.running_nonce();
  return !nonce || tab.files.exit_code(*nonce).has_value();
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

/// Nothing in front: what is there has nothing to wait for.
struct Look {
  Foreground foreground;
  KeyboardLook keyboard;
};

Look look_once(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (foreground.kind == Foreground::Kind::nothing || foreground.shell_pid == 0 ||
      is_idle_shell(tab, foreground)) {
    return {};
  }
  const Foreground end = end_of_keys(tab.tty, foreground).foreground;
  const bool at_work = end.is_shell() && runs_ours(tab, end).value_or(false);
  return {foreground, look_at_keyboard(tab, foreground, at_work)};
}

}  // namespace

std::optional<AwaitingInput> awaiting_input(const Tab& tab, TextGuard* guard) {
  const Look look = look_once(tab);
  if (!look.keyboard.kind) {
    return stopped_input(tab, look.foreground);
  }
  // Between two files of /proc a shell may have come to its prompt, and where others start or end beside it,
  // a look at the children of a process may miss one: `children`, proc(5).
  if (look_once(tab).keyboard.kind != look.keyboard.kind) {
    return std::nullopt;
  }
  return AwaitingInput{*look.keyboard.kind, unfinished_line(tab.log, tab.cols, guard), look.keyboard.pid};
}

std::optional<AwaitingInput> SettledInput::look(const Tab& tab) {
  const PaneLog::Stamp log = tab.log.stamp();
  const bool printed = std::exchange(log_, log) != log;
  const bool still = stillness_.lasts(tab.pane_pid.pid);
  moved_ = printed || !still;
  std::optional<AwaitingInput> now = moved_ ? awaiting_input(tab) : seen_;
  const bool waits = now && seen_ && now->kind == seen_->kind && !printed;
  seen_ = std::move(now);
  if (!waits) {
    held_since_.reset();
  }
  return waits && !is_prompt_on_its_way(tab) ? seen_ : std::nullopt;
}

std::optional<AwaitingInput> SettledInput::look_again(const Tab& tab) {
  std::optional<AwaitingInput> now = look(tab);
  if (!now && told_ && seen_ && seen_->kind == told_->kind && seen_->pid == told_->pid) {
    now = seen_;
  }
  told_ = now;
  return now;
}

/// On a busy machine a program may ask, and wait, before one that passes its question on has had its turn.
/// Beside one that computes for long the question is told all the same.
bool SettledInput::is_prompt_on_its_way(const Tab& tab) {
  constexpr Milliseconds kPassedOnWithin{500};
  if (!stillness_.one_is_ready() && !is_ready(tab.server_pid) && !is_ready(log_writer(tab.log.path()))) {
    return false;
  }
  const auto now = Clock::now();
  held_since_ = held_since_.value_or(now);
  return now - *held_since_ < kPassedOnWithin;
}

}  // namespace terminally
