// What a command sees of itself and of what is around it: its log and files, /proc, the other commands.

#include <algorithm>

#include "command/command_run.hpp"
#include "log/log_end.hpp"
#include "system/proc.hpp"
#include "system/tty_wait.hpp"

namespace terminally {
namespace {

/// Whether the group may not have been there, or not have had the foreground, at this moment.
bool was_just_started(int group, std::uint64_t ticks) {
  constexpr std::uint64_t kStartTicks = 5;  // 50 ms
  const auto program = process_info(group);
  return program && program->start_ticks + kStartTicks >= ticks;
}

}  // namespace

std::optional<SeenEnd> CommandRun::end() const {
  return log_.end() ? std::optional(SeenEnd{log_.end()->by, log_.end()->exit_code}) : std::nullopt;
}

bool CommandRun::log_has_gap() const {
  return log_has_gap_behind(tab_->log.path(), std::max(record_.typed_byte, record_.start_byte));
}

bool CommandRun::log_writer_is_stopped() const {
  return terminally::log_writer_is_stopped(tab_->log.path());
}

std::optional<Clock::time_point> CommandRun::log_unreadable_since() const {
  return log_.unreadable() ? std::optional(log_.read_well()) : std::nullopt;
}

bool CommandRun::may_be_taken() const {
  return tab_->files.may_be_taken(record_.nonce);
}

std::optional<int> CommandRun::exit_code() const {
  return tab_->files.exit_code(record_.nonce);
}

bool CommandRun::tab_lives() const {
  return is_alive(tab_->pane_pid);
}

bool CommandRun::tmux_lives() const {
  return context_.server_alive();
}

bool CommandRun::shell_is_gone() const {
  return !is_alive(record_.shell_pid);
}

/// The shell that the command was typed into; nullopt when it is gone, even if its pid is in use again.
std::optional<ProcessId> CommandRun::its_shell() const {
  const auto shell = process_info(record_.shell_pid);
  const bool still = shell && shell->state != 'Z' && shell->start_ticks <= record_.started_ticks &&
                     shell->session == tab_->pane_pid.pid;
  return still ? std::optional(shell->id()) : std::nullopt;
}

SeenForeground CommandRun::foreground() const {
  using Who = SeenForeground::Who;
  const Foreground now = look_at_foreground(tab_->pane_pid);
  SeenForeground seen;
  seen.group = now.group;
  const bool person_types = now.pid == record_.shell_pid;
  const bool its_shell =
      now.kind == Foreground::Kind::shell || (now.kind == Foreground::Kind::nested && person_types);
  if (its_shell && !opened(now)) {
    seen.who = Who::its_shell;
  } else if (now.kind == Foreground::Kind::nothing) {
    seen.who = Who::nobody;
  } else if (now.shell && opened(now)) {
    seen.who = Who::opened_shell;
  } else {
    seen.who = now.kind == Foreground::Kind::gateway ? Who::gateway : Who::program;
  }
  if (seen.who == Who::its_shell || person_types) {
    const Prompt prompt = prompt_state(now, tab_->tty);
    seen.at_prompt = seen.who == Who::its_shell && prompt == Prompt::ready;
    seen.its_shell_waits = person_types && prompt != Prompt::not_yet;
  }
  const auto mode = terminal_mode(tab_->tty);
  seen.keys_signal = !mode || mode->keys_signal;
  seen.deaf_fork = seen.who == Who::program && is_deaf_fork(now);
  seen.missed_key = key_ticks_ != 0 && was_just_started(now.group, key_ticks_);
  return seen;
}

bool CommandRun::is_outermost() const {
  return tab_->runs.front().get() == this;
}

/// Whether the exit code of a command around this one is known, which then tells ours as well, and its END is
/// awaited.
bool CommandRun::one_around_is_ending() const {
  const auto place = std::ranges::find(tab_->runs, this, &RunPtr::get);
  return std::any_of(tab_->runs.begin(), place, [this](const auto& run) {
    return tab_->files.exit_code(run->record_.nonce).has_value();
  });
}

ErrandState CommandRun::errand(Errand errand) const {
  const auto found = errand_states_.find(errand);
  return found == errand_states_.end() ? ErrandState::none : found->second;
}

}  // namespace terminally
