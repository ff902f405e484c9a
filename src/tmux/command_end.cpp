// The end of a command: how it is seen, what it means, and its record.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "tmux/command_run.hpp"
#include "tmux/log_end.hpp"
#include "tmux/proc.hpp"
#include "tmux/signals.hpp"
#include "tmux/touched.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long END may be missing after the exit code is known, while nothing comes into the log.
constexpr Milliseconds kEndMissing{1'000};
/// The same where the log's writer has said that it lost something.
constexpr Milliseconds kEndMissingFromGap{250};
/// The same in a log that grows on: what runs in the background may print for ever. But tmux keeps megabytes
/// for a writer that is slow, and END is behind them.
constexpr Milliseconds kEndLate{60'000};
constexpr Milliseconds kEndLateFromGap{10'000};
constexpr Milliseconds kServerEndsWithin{100};
constexpr Milliseconds kTidyAfter{5};
/// How long after the end of a nested shell the command that opened it may take to end, and tell its code.
constexpr Milliseconds kOuterEnds{1'000};
/// The same where no command of ours opened it: the tab, or tmux, may be ending just now.
constexpr Milliseconds kTabEnds{150};
/// How many processes of a tab are looked at for one that is stopped.
constexpr std::size_t kStoppedAmong = 200;

/// Where it cannot be asked, nothing is known against it.
asio::awaitable<bool> is_silent(TmuxClient tmux) {
  bool answers = true;
  try {
    answers = co_await tmux.answers();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
  co_return !answers;
}

}  // namespace

/// C-z gives the prompt back, though nothing has ended. Most shells then tell 128 plus the signal, fish and
/// mksh 0; where more follows in the text, the code is of that. There it is looked for where keys were sent.
bool CommandRun::note_if_stopped() {
  const int signal = end_marker_->exit_code - 128;
  const bool told = signal == SIGTSTP || signal == SIGSTOP || signal == SIGTTIN || signal == SIGTTOU;
  if (!told && !looks_interrupted() && steady_ms(tab_->last_input) < record_.started_steady_ms) {
    return false;
  }
  for (const ProcessInfo& process : process_tree(record_.shell_pid, kStoppedAmong)) {
    if (process.state == 'T' && process_tag(process.pid) == command_tag(tab_->tag, record_.nonce)) {
      record_.notes.push_back(std::string(signal == SIGTSTP ? "stopped (C-z)" : "stopped") +
                              ", not ended: pid " + std::to_string(process.pid) + " (" +
                              describe_process(process.pid) +
                              "); `fg` in this tab goes on with it, `kill %%` ends it");
      return true;
    }
  }
  return false;
}

/// END is known: what it means.
void CommandRun::conclude() {
  record_.end_byte = end_marker_->begin;
  trim_own_lines_at_end();
  const int code = end_marker_->exit_code;
  if (end_marker_->by == Marker::By::refused) {
    record_.start_byte = record_.end_byte;  // before it stands what we typed, which is nobody's output
    record_.notes.emplace_back(
        "the shell did not take the command: it arrived damaged, or there is no base64 there; nothing was "
        "run");
    finish(CommandState::failed, Reason::no_shell_answered, std::nullopt);
    return;
  }
  if (!began_) {
    record_.notes.emplace_back(
        "its beginning is missing from the log: the output has what was typed, and the prompt, in front");
  }
  if (record_.way_in && is_alive(record_.way_in->process)) {
    record_.way_in->seen_steady_ms = steady_ms(Clock::now());
  }
  if (interrupt_reason_ != Reason::none) {
    finish(CommandState::cancelled, interrupt_reason_, code);
    return;
  }
  // Where the code tells of the C-c, what else was stopped meanwhile changes nothing.
  const bool interrupted = touched_ && looks_interrupted();
  const bool stopped = (!interrupted || code == 0) && note_if_stopped();
  if (interrupted && !stopped) {
    finish(CommandState::cancelled, Reason::interrupted_in_tab, code);
  } else {
    const bool by_shell = end_marker_->by == Marker::By::shell;
    finish(CommandState::completed, by_shell ? Reason::shell_exited : Reason::none, code);
  }
}

void CommandRun::settle(bool followed) {
  if (tab_->closed) {
    if (pump() || !behind_) {
      give_up(context_.server_alive() ? Reason::tab_closed : Reason::tmux_server_lost);
    }
  } else if (pump() && interrupt_reason_ == Reason::none) {
    if (!followed || !looks_interrupted()) {  // else tmux is to be asked who was there
      conclude();
    }
  } else if (const auto ended_at = tab_->files.ended_at_ms(record_.nonce);
             ended_at && !end_marker_ && !behind_ && wall_clock_ms() - *ended_at > kEndMissing.count() &&
             !log_writer_is_stopped(tab_->log.path())) {
    end_by_exit_file(tab_->files.exit_code(record_.nonce).value_or(0), "");
  }
}

/// Whether the shell says so: the program died of it (ksh93 counts from 256), or the text was abandoned (zsh
/// and fish then report 0).
bool CommandRun::looks_interrupted() const {
  return end_marker_->exit_code == 128 + SIGINT || end_marker_->exit_code == 256 + SIGINT ||
         (end_marker_->by == Marker::By::hook && end_marker_->exit_code == 0);
}

asio::awaitable<bool> CommandRun::is_touched() const {
  bool is = false;
  try {
    is = co_await is_true(touched());
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then nobody is known to have been there
  }
  co_return is;
}

/// What the shell needs at the end of the command, if somebody has removed it (cleaners of /tmp do).
void CommandRun::restore_files() const noexcept {
  if (script_.files.empty() || !began_ || !tab_->files.are_gone(record_.nonce)) {
    return;
  }
  try {
    write_script();
    mark_running();
    tab_->files.mark_taken(record_.nonce);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next look tries again
  }
}

/// The tab is gone, or the exit code came the second way and END did not.
asio::awaitable<void> CommandRun::look_for_another_end() {
  // Where tmux is gone, what ran in the tab is ending, one after the other.
  if (!is_alive(tab_->pane_pid) || !context_.server_alive()) {
    co_await end_with_tab();
    co_return;
  }
  restore_files();
  if (is_left_untaken(kUnanswered)) {
    never_ran();
    co_return;
  }
  if (const auto code = tab_->files.exit_code(record_.nonce)) {
    co_await wait_for_late_end(*code);
    co_return;
  }
  // Where no command of ours opened the nested shell, no other end tells us.
  if (!nested_ || is_alive(record_.shell_pid)) {
    co_return;
  }
  shell_gone_seen_ = shell_gone_seen_.value_or(Clock::now());
  const auto patience = tab_->runs.front().get() == this ? kTabEnds : kOuterEnds;
  if (Clock::now() - *shell_gone_seen_ > patience && !one_around_is_ending()) {
    give_up(Reason::shell_exited);
  }
}

/// The exit code is known, and END is not in the log: it is late as long as bytes come, or may come from a
/// frozen tmux or a stopped writer. Only a deadline cannot wait for it.
asio::awaitable<void> CommandRun::wait_for_late_end(int exit_code) {
  exit_file_seen_ = exit_file_seen_.value_or(Clock::now());
  const bool in_gap = log_has_gap_behind(tab_->log.path(), std::max(record_.typed_byte, record_.start_byte));
  const auto patience = in_gap ? kEndMissingFromGap : kEndMissing;
  const auto latest = in_gap ? kEndLateFromGap : kEndLate;
  const bool hurry = interrupt_reason_ != Reason::none || Clock::now() >= deadline_;
  const auto may_be_late = [&]() {
    return !hurry && Clock::now() - grew_ < patience && Clock::now() - *exit_file_seen_ < latest;
  };
  if (Clock::now() - *exit_file_seen_ < patience || may_be_late()) {
    co_return;
  }
  std::string_view stands_still = log_writer_is_stopped(tab_->log.path()) ? "the writer of the log" : "";
  if (stands_still.empty() && co_await is_silent(tmux_.with_deadline(kEndMissing))) {
    stands_still = "tmux";
  }
  const bool moves = stands_still.empty();
  if (pump() || (!moves && !hurry)) {
    co_return;
  }
  co_await watch_.changed_by(Clock::now() + (moves ? patience : Milliseconds(0)));
  if (pump() || may_be_late()) {
    co_return;
  }
  if (interrupt_reason_ != Reason::none) {
    co_await end_descendants();
    if (pump()) {
      co_return;  // its END came meanwhile
    }
  }
  end_by_exit_file(exit_code, stands_still);
}

/// What was seen of the log since the command was typed.
std::string CommandRun::why_end_is_missing() const {
  const PaneLog::Gap gap = tab_->log.gap_between(record_.typed_byte, UINT64_MAX);
  if (gap.unwritten > 0 || gap.waiting > 0) {
    return ", which could not be written" + (gap.error == 0 ? "" : " (" + system_reason(gap.error) + ")");
  }
  // Also where nothing came behind the gap yet.
  const bool unwatched = gap.unknown || log_writer(tab_->log.path()) == 0 ||
                         log_has_gap_behind(tab_->log.path(), record_.typed_byte);
  return unwatched ? ", which had no writer for a while" : "";
}

/// `stands_still`: what keeps the rest from coming into the log; empty: nothing does.
void CommandRun::end_by_exit_file(int exit_code, std::string_view stands_still) {
  record_.notes.push_back(stands_still.empty()
                              ? "the end of the command is missing from the log" + why_end_is_missing() +
                                    "; the exit code is known from its file"
                              : std::string(stands_still) +
                                    " stands still: the exit code is known from its file, output may still "
                                    "come into the log");
  record_.end_byte = output_end();  // what was looked at: END may be coming just now
  if (const std::uint64_t counted = tab_->log.counted_end(); counted > tab_->log.end()) {
    // It is lost, or in the writer's memory.
    record_.unread_from = std::max(record_.end_byte, std::uint64_t{1});
    record_.end_byte = std::max(record_.end_byte, counted);
  }
  const bool ours = interrupt_reason_ != Reason::none;
  finish(ours ? CommandState::cancelled : CommandState::completed, interrupt_reason_, exit_code);
}

/// The pane's process is gone. Its last bytes are still on their way into the log, and a tmux server that is
/// ending closes its tabs a moment before.
asio::awaitable<void> CommandRun::end_with_tab() {
  co_await wait_for_log_end(tab_->log, Clock::now() + kLogEndsWithin);
  co_await catch_up();
  if (!end_marker_ && context_.server_alive()) {
    co_await sleep_for(kServerEndsWithin);
  }
  give_up(context_.server_alive() ? Reason::tab_closed : Reason::tmux_server_lost);
}

void CommandRun::give_up(Reason why, std::optional<std::uint64_t> ends_by) {
  if (has_ended()) {
    return;
  }
  try {
    if (pump()) {
      conclude();
      return;
    }
    record_.end_byte = std::min(tab_->log.end(), ends_by.value_or(UINT64_MAX));
  } catch (const Error& error) {
    record_.notes.emplace_back(error.what());  // the log cannot be read
  }
  if (why == Reason::shell_exited) {
    end_without_shell(std::nullopt);
  } else {
    finish(CommandState::failed, why, std::nullopt);
  }
}

void CommandRun::finish(CommandState state, Reason reason, std::optional<int> exit_code) {
  if (has_ended()) {
    return;
  }
  record_.state = state;
  record_.reason = reason;
  record_.exit_code = exit_code;
  record_.timed_out = reason == Reason::timeout;
  record_.end_byte = std::max(record_.end_byte, record_.start_byte);
  record_.duration_ms = duration_ms();
  if (const auto ended_at = adopted_ ? tab_->files.ended_at_ms(record_.nonce) : std::nullopt) {
    // It may have ended while nobody looked. The clock may have been set since.
    const auto took = std::max<std::int64_t>(0, *ended_at - record_.started_at_ms);
    record_.duration_ms = std::min(record_.duration_ms, static_cast<std::uint64_t>(took));
  }
  end_what_runs_inside();
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  if (const std::string cwd = process_cwd(foreground.pid != 0 ? foreground.pid : foreground.shell_pid);
      !cwd.empty()) {
    record_.cwd = cwd;
  }
  tab_->last_exit = exit_code.value_or(tab_->last_exit);
  tab_->last_end = Clock::now();
  if (end_marker_ && end_marker_->by == Marker::By::shell) {
    record_.notes.emplace_back(
        "the shell ended with this command; a new one was started in the same tab, in " + record_.cwd +
        " (variables, functions and options of the old one are gone)");
  }
  keep_what_was_told();
  // In this order: killed in between, the next server finds a mark whose command has ended.
  save_record();
  tab_->files.unmark_running(record_.nonce);
  leave_tab();
  ended_.set();
  // The answer goes first; the files are in nobody's way.
  const auto later = std::make_shared<asio::steady_timer>(context_.executor, kTidyAfter);
  later->async_wait([later, files = tab_->files, nonce = record_.nonce](const boost::system::error_code&) {
    files.remove(nonce);
  });
}

void CommandRun::leave_tab() {
  std::erase_if(tab_->runs, [this](const auto& run) { return run.get() == this; });
  if (tab_->runs.empty()) {
    tab_->command_lock.release();
  }
}

void CommandRun::abandon() {
  if (has_ended()) {
    return;
  }
  if (call_answered_) {
    call_off();
    return;
  }
  withdraw();
  record_.state = is_interrupted() ? CommandState::cancelled : CommandState::failed;
  record_.reason = is_interrupted() ? interrupt_reason_ : Reason::no_shell_answered;
  record_.notes.emplace_back("nothing was run");
  leave_tab();
  ended_.set();  // for who waits for it
}

}  // namespace terminally
