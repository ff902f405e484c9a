// Shells that a command opens: seen at their prompts, and their ends.

#include <algorithm>

#include "base/error.hpp"
#include "command/command_run.hpp"
#include "command/way_in.hpp"
#include "shell/shell_text.hpp"
#include "system/proc.hpp"

namespace terminally {
bool CommandRun::shell_is_replaced() const {
  return is_replaced(record_.shell_pid, record_.shell_image);
}

bool CommandRun::opened(const Foreground& now) const {
  if (now.pid == record_.shell_pid) {
    return now.kind != Foreground::Kind::program && now.kind != Foreground::Kind::nothing &&
           shell_is_replaced();
  }
  return now.kind == Foreground::Kind::nested || now.kind == Foreground::Kind::gateway;
}

/// Whether it printed something after the last newline, as whoever shows a prompt does.
bool CommandRun::leaves_line_open() const {
  const std::uint64_t end = tab_->log.end();
  return end > record_.start_byte && tab_->log.read(end - 1, 1).bytes != "\n";
}

/// The shell that this command opened, or the way to it, once it has shown its prompt for a while.
std::optional<Foreground> CommandRun::nested_prompt() {
  const Foreground now = look_at_foreground(tab_->pane_pid);
  const bool gateway = now.kind == Foreground::Kind::gateway;
  const bool nested =
      opened(now) && (!gateway || leaves_line_open()) && prompt_state(now, tab_->tty) == Prompt::ready;
  if (!nested) {
    nested_prompt_seen_.reset();
    return std::nullopt;
  }
  nested_prompt_seen_ = nested_prompt_seen_.value_or(Clock::now());
  return Clock::now() - *nested_prompt_seen_ < shell_times::kNestedPrompt ? std::nullopt : std::optional(now);
}

bool CommandRun::waits_in_nested_shell() {
  const auto prompt = nested_prompt();
  if (prompt) {
    opened_shell_ = true;
    note_way_in(*prompt, *nested_prompt_seen_);
  }
  return prompt.has_value();
}

/// One that no call waits for: the password came later, or it was started in the background. A gateway is
/// known to have opened a shell only where somebody was told so. What waits behind ssh is as a rule one; what
/// runs in a container may be any program that draws.
void CommandRun::look_for_nested_shell() {
  const bool innermost = !tab_->runs.empty() && tab_->runs.back().get() == this;
  if (const auto prompt = innermost ? nested_prompt() : std::nullopt) {
    const bool shell = prompt->kind != Foreground::Kind::gateway;
    opened_shell_ = opened_shell_ || shell;
    if (shell || prompt->name == "ssh") {
      note_way_in(*prompt, *nested_prompt_seen_);
    }
  }
}

/// A process that is older than the way on record was there before it, and is not the way in.
void CommandRun::note_way_in(const Foreground& prompt, Clock::time_point seen) {
  std::optional<WayIn> way = way_in(prompt, seen);
  if (!way || (record_.way_in && way->process.start_ticks <= record_.way_in->process.start_ticks)) {
    return;
  }
  record_.way_in = std::move(way);
  tell_end_of_way();
  static_cast<void>(save_record());  // it may end while nobody looks
}

/// The shell that the command ran in is gone: a note says where the next command runs.
void CommandRun::note_end_of_shell() {
  tell_end_of_way();
  const std::string& way = reporter_.name;  // ssh, su; else the shell itself
  record_.notes.emplace_back("the shell that it ran in is gone" +
                             (reporter_.passed_on ? ", and with it the " + way + " that led there" : "") +
                             ": the next command in this tab runs in the shell around it" +
                             (reporter_.passed_on ? ", on this side of that " + way : ""));
}

/// The shells that this command opened are gone, and so are the commands in them. The innermost first.
void CommandRun::end_what_runs_inside() {
  const auto self = shared_from_this();
  const auto place = std::find(tab_->runs.begin(), tab_->runs.end(), self);
  std::vector<RunPtr> inner(place == tab_->runs.end() ? place : place + 1, tab_->runs.end());
  std::erase_if(inner, [](const auto& run) { return !run->may_be_typed(); });  // it comes after this one
  std::reverse(inner.begin(), inner.end());
  for (const auto& run : inner) {
    run->end_with_shell(exit_code_of(run->reporter_), *this);
  }
}

/// How a shell within this command ended, where the end of this command tells it: that shell took the place
/// of the one that this was typed into, or was the last that it ran.
std::optional<int> CommandRun::exit_code_of(const ExitReporter& inner_shell) const {
  if (!record_.exit_code || inner_shell.pid == 0) {
    return std::nullopt;
  }
  const bool by_shell = log_.end() ? log_.end()->by == Marker::By::shell : !is_alive(record_.shell_pid);
  const bool in_its_place = by_shell && inner_shell.pid == record_.shell_pid;
  const bool its_last =
      !by_shell && inner_shell.parent == record_.shell_pid && ends_with_program(text_, inner_shell.name);
  return in_its_place || its_last ? inner_shell.code_of_shell(*record_.exit_code) : std::nullopt;
}

/// The shell that it was typed into has ended within `outer`. What follows in the log is the END of that, and
/// the prompt of the shell around.
void CommandRun::end_with_shell(std::optional<int> exit_code, const CommandRun& outer) {
  const auto output_ends_before = outer.log_.end() ? std::optional(outer.record_.end_byte) : std::nullopt;
  if (has_ended() || !exit_code) {
    give_up(Reason::shell_exited, output_ends_before);
    return;
  }
  try {
    if (pump()) {
      conclude();
      return;
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the log cannot be read; the code is known
  }
  record_.end_byte = output_ends_before.value_or(record_.end_byte);
  Outcome outcome = lost(Outcome::Seen::shell_gone, why());
  outcome.exit_code = exit_code;
  if (is_interrupted()) {
    note_end_of_shell();
  } else {
    tell_end_of_way();
    const Reason outer_why = outer.why();
    outcome.state = outer_why != Reason::none ? CommandState::cancelled : CommandState::completed;
    outcome.reason = outer_why != Reason::none ? outer_why : Reason::shell_exited;
  }
  finish(outcome);
}

/// Another process may have told of its way's end before this one saw its own.
void CommandRun::keep_what_was_told() {
  const auto written = record_.way_in ? tab_->records.find(record_.id) : std::nullopt;
  if (written && written->way_in && written->way_in->process == record_.way_in->process) {
    record_.way_in->told_steady_ms = written->way_in->told_steady_ms;
    record_.way_in->told_people_steady_ms = written->way_in->told_people_steady_ms;
  }
}

void CommandRun::tell_end_of_way() {
  if (record_.way_in) {
    record_.way_in->ends_with_command = true;
  }
}

}  // namespace terminally
