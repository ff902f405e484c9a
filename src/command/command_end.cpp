// The end of a command, as its record tells it, and of those that were typed inside it.

#include "command/command_end.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "log/log_end.hpp"
#include "shell/shell_text.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

using Seen = Outcome::Seen;

/// What was seen of the log since the command was typed.
std::string why_end_is_missing(const PaneLog& log, std::uint64_t typed_byte) {
  const PaneLog::Gap gap = log.gap_between(typed_byte, UINT64_MAX);
  if (gap.unwritten > 0 || gap.waiting > 0) {
    return ", which could not be written" + (gap.error == 0 ? "" : " (" + system_reason(gap.error) + ")");
  }
  // Also where nothing came behind the gap yet.
  const bool unwatched =
      gap.unknown || log_writer(log.path()) == 0 || log_has_gap_behind(log.path(), typed_byte);
  return unwatched ? ", which had no writer for a while" : "";
}

/// Where the output of a command ends that has ended somehow: without START, all that is in the log is what
/// we typed, unless the log lacks bytes.
std::uint64_t output_to(std::uint64_t end, const CommandRecord& record, const std::filesystem::path& log) {
  const bool began = record.start_byte > record.typed_byte || log_has_gap_behind(log, record.typed_byte);
  return began ? end : record.start_byte;
}

}  // namespace

void CommandEnd::end_as(const Outcome& outcome) {
  switch (outcome.seen) {
    case Seen::end:
    case Seen::refused:
      note_end(outcome);
      break;
    case Seen::exit_file:
    case Seen::log_stands_still:
    case Seen::tmux_stands_still:
      note_exit_file(outcome.seen);
      break;
    case Seen::untaken:
      output_.log().forget_end();
      record_.note(
          "no shell answered in this tab, nothing was run; look at it with read_screen, C-c by send_keys "
          "leaves what has its keyboard");
      break;
    case Seen::called_off:
      record_.note(std::string("nothing was run: ") +
                   (outcome.reason == Reason::timeout ? "its time was over" : "it was cancelled") +
                   " before the shell was at its prompt and could take it");
      break;
    case Seen::not_typed:
      throw Error(*typed_.failure);
    case Seen::not_begun:
      throw Error(ErrorCode::tab_closed,
                  "tab " + to_string(tab_.window) + " was closed before the command began");
    case Seen::gave_up:
      record_.note("its end was never seen; what it started was killed");
      give_up(outcome.reason);
      return;
    case Seen::log_unreadable:
      record_.note(output_.log().unreadable()->what());
      give_up(Reason::none);
      return;
    case Seen::tab_gone:
      give_up(outcome.reason);
      return;
    case Seen::shell_gone:
      give_up(Reason::shell_exited);
      return;
  }
  finish(outcome);
}

void CommandEnd::settle(bool followed) {
  if (tab_.closed) {
    if (output_.read() || !output_.log().goes_on()) {
      give_up(context_.server_alive() ? Reason::tab_closed : Reason::tmux_server_lost);
    }
  } else if (output_.read() && !state_.is_interrupted()) {
    if (!followed || !looks_interrupted(*output_.end())) {  // else tmux is to be asked who was there
      conclude();
    }
  } else if (const auto ended_at = tab_.files.ended_at_ms(record_->nonce);
             ended_at && !output_.end() && !output_.log().goes_on() &&
             wall_clock_ms() - *ended_at > CommandLife::kEndMissing.count() &&
             !log_writer_is_stopped(tab_.log.path())) {
    if (const auto code = tab_.files.exit_code(record_->nonce)) {
      end_as(by_exit_file(Outcome::Seen::exit_file, state_.why(), code));
    }
  }
}

void CommandEnd::give_up(Reason why, std::optional<std::uint64_t> output_ends_before) {
  if (state_.has_ended()) {
    return;
  }
  if (!record_.may_be_typed()) {
    abandon();
    return;
  }
  try {
    if (output_.read()) {
      conclude();
      return;
    }
    const std::uint64_t end = std::min(tab_.log.end(), output_ends_before.value_or(UINT64_MAX));
    record_.edit().end_byte = output_to(end, *record_, tab_.log.path());
  } catch (const Error& error) {
    record_.note(error.what());  // the log cannot be read
  }
  if (why == Reason::shell_exited) {
    note_end_of_shell();
    finish(lost(Outcome::Seen::shell_gone, state_.why()));
  } else {
    // With its last tab, tmux ends too.
    const bool closed = why == Reason::tmux_server_lost && tab_.closing;
    finish(lost(Outcome::Seen::gave_up, closed ? Reason::tab_closed : why));
  }
}

void CommandEnd::abandon() {
  if (state_.has_ended()) {
    return;
  }
  if (state_.requested.answered) {
    end_as(called_off(state_.requested));
    return;
  }
  record_.withdraw();
  output_.log().forget();
  record_.edit().state = state_.is_interrupted() ? CommandState::cancelled : CommandState::failed;
  record_.edit().reason = state_.is_interrupted() ? state_.why() : Reason::no_shell_answered;
  record_.note("nothing was run");
  place_.leave();
  state_.ended.set();  // for who waits for it
  output_.changed().notify();
}

/// Ends the command as its END says.
void CommandEnd::conclude() {
  acts_.look_for_stopped();
  end_as(outcome_of(*output_.end(), state_.why(), acts_.found().others_typed,
                    acts_.found().stopped.has_value()));
}

void CommandEnd::note_end(const Outcome& outcome) {
  record_.edit().end_byte = output_.log().trimmed_end();
  if (outcome.seen == Seen::refused) {
    // Before it stands what we typed, which is nobody's output.
    record_.edit().start_byte = record_->end_byte;
    record_.note(
        "the shell did not take the command: it arrived damaged, or there is no base64 there; nothing was "
        "run");
    return;
  }
  if (!output_.log().has_start()) {
    record_.note(
        "its beginning is missing from the log: the output has what was typed, and the prompt, in front");
  }
  if (record_->shell_gateway && is_alive(record_->shell_gateway->process)) {
    record_.edit().shell_gateway->seen_steady_ms = steady_ms(Clock::now());
  }
  note_once(record_.edit().notes, failed_parts(output_.log().end()->parts));
  if (acts_.found().stopped && outcome.state == CommandState::completed) {
    record_.note(*acts_.found().stopped);
  }
}

/// The shell that the command ran in is gone: a note says where the next command runs.
void CommandEnd::note_end_of_shell() {
  record_.note_end_of_way();
  const std::string& way = typed_.reporter.name;  // ssh, su; else the shell itself
  record_.note("the shell that it ran in is gone" +
               (typed_.reporter.passed_on ? ", and with it the " + way + " that led there" : "") +
               ": the next command in this tab runs in the shell around it" +
               (typed_.reporter.passed_on ? ", on this side of that " + way : ""));
}

void CommandEnd::note_exit_file(Seen seen) {
  CommandRecord& record = record_.edit();
  try {
    if (seen == Seen::exit_file) {
      record_.note("the end of the command is missing from the log" +
                   why_end_is_missing(tab_.log, record.typed_byte) +
                   "; the exit code is known from its file");
    } else {
      record_.note(std::string(seen == Seen::tmux_stands_still ? "tmux" : "the writer of the log") +
                   " stands still: the exit code is known from its file, output may still come into the log");
    }
    record.end_byte = output_.end_byte();  // what was looked at: END may be coming just now
    if (const std::uint64_t counted = tab_.log.counted_end(); counted > tab_.log.end()) {
      // The log takes nothing just now: END is in the writer's memory, or lost.
      record.unread_from = std::max(record.end_byte, std::uint64_t{1});
      record.end_byte = std::max(record.end_byte, counted);
    }
  } catch (const Error& error) {
    record_.note("the exit code is known from its file; the output could not be read when it ended: " +
                 std::string(error.what()));
    record.unread_from = std::max(record.typed_byte, std::uint64_t{1});
  }
}

/// How a shell within this command ended, where the end of this command tells it: that shell took the place
/// of the one that this was typed into, or was the last that it ran.
std::optional<int> CommandEnd::exit_code_of(const ExitReporter& inner_shell) const {
  if (!record_->exit_code || inner_shell.pid == 0) {
    return std::nullopt;
  }
  const bool by_shell =
      output_.end() ? output_.end()->by == Marker::By::shell : !is_alive(record_->shell_pid);
  const bool in_its_place = by_shell && inner_shell.pid == record_->shell_pid;
  const bool its_last = !by_shell && inner_shell.parent == record_->shell_pid &&
                        ends_with_program(record_->command, inner_shell.name);
  return in_its_place || its_last ? inner_shell.code_of_shell(*record_->exit_code) : std::nullopt;
}

/// The shell that it was typed into has ended within `outer`. What follows in the log is the END of that, and
/// the prompt of the shell around.
void CommandEnd::end_with_shell(std::optional<int> exit_code, const CommandEnd& outer) {
  const auto output_ends_before = outer.output_.end() ? std::optional(outer.record_->end_byte) : std::nullopt;
  if (state_.has_ended() || !exit_code) {
    give_up(Reason::shell_exited, output_ends_before);
    return;
  }
  try {
    if (output_.read()) {
      conclude();
      return;
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the log cannot be read; the code is known
  }
  record_.edit().end_byte =
      output_to(output_ends_before.value_or(record_->end_byte), *record_, tab_.log.path());
  Outcome outcome = lost(Outcome::Seen::shell_gone, state_.why());
  outcome.exit_code = exit_code;
  if (state_.is_interrupted() || typed_.reporter.passed_on) {
    note_end_of_shell();
  } else {
    record_.note_end_of_way();
  }
  if (!state_.is_interrupted()) {
    const Reason outer_why = outer.state_.why();
    outcome.state = outer_why != Reason::none ? CommandState::cancelled : CommandState::completed;
    outcome.reason = outer_why != Reason::none ? outer_why : Reason::shell_exited;
  }
  finish(outcome);
}

/// The process whose directory is the tab's from now on. A shell that told the end itself is at its prompt.
int CommandEnd::who_goes_on(const Outcome& outcome) const {
  if (outcome.seen == Seen::end && output_.end() && output_.end()->by != Marker::By::shell) {
    if (const auto shell = shells_.own()) {
      return shell->pid;
    }
  }
  const Foreground foreground = look_at_foreground(tab_.pane_pid);
  return foreground.pid != 0 ? foreground.pid : foreground.shell_pid;
}

void CommandEnd::finish(const Outcome& outcome) {
  if (state_.has_ended()) {
    return;
  }
  CommandRecord& record = record_.edit();
  record.state = outcome.state;
  record.reason = outcome.reason;
  record.exit_code = outcome.exit_code;
  record.timed_out = outcome.reason == Reason::timeout;
  record.end_byte = std::max(record.end_byte, record.start_byte);
  record.duration_ms = ran_for_ms(record);
  if (const auto ended_at = record_.is_adopted() ? tab_.files.ended_at_ms(record.nonce) : std::nullopt) {
    // It may have ended while nobody looked. The clock may have been set since.
    const auto took = std::max<std::int64_t>(0, *ended_at - record.started_at_ms);
    record.duration_ms = std::min(record.duration_ms, static_cast<std::uint64_t>(took));
  }
  acts_.drop_all();
  for (const std::shared_ptr<CommandEnd>& inner : place_.ends_inside()) {  // their shells are gone
    inner->end_with_shell(exit_code_of(inner->typed_.reporter), *this);
  }
  if (const std::string cwd = process_cwd(who_goes_on(outcome)); !cwd.empty()) {
    record.cwd = cwd;
  }
  tab_.last_exit = outcome.exit_code.value_or(tab_.last_exit);
  tab_.pwd = {record.shell_pid, record.nonce, ""};
  tab_.shell.has_ended_command(Clock::now());
  if (output_.end() && output_.end()->by == Marker::By::shell) {
    record_.note("the shell ended with this command; a new one was started in the same tab, in " +
                 record.cwd + " (variables, functions and options of the old one are gone)");
  }
  record_.keep_what_was_told();
  // The record comes first: should we be killed before the mark goes, the next server sees that its command
  // has ended.
  static_cast<void>(record_.save());
  tab_.files.unmark_running(record.nonce);
  place_.leave();
  state_.ended.set();
  output_.changed().notify();
  const bool told = typed_.in_files && outcome.seen == Seen::end && output_.end()->by == Marker::By::wrapper;
  record_.tidy_later(told);
}

}  // namespace terminally
