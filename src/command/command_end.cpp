// The end of a command, as its record tells it.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "command/command_run.hpp"
#include "log/log_end.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

using Seen = Outcome::Seen;

/// When it is tidied up behind a command, and how long at most its shell may take to write the exit code.
constexpr Milliseconds kTidyAfter{5};
constexpr Milliseconds kTidyBy{2'000};
constexpr Milliseconds kTidyLook{100};
/// How many processes of a tab are looked at for one that is stopped.
constexpr std::size_t kStoppedAmong = 200;
/// How often records that could not be written are tried again.
constexpr Milliseconds kRecordRetry{500};

/// Takes the files of a command away, when this goes.
class Tidying {
 public:
  /// `told`: by its shell, which has come to its END.
  Tidying(CommandFiles files, std::string nonce, bool told)
      : files_(std::move(files)), nonce_(std::move(nonce)), told_(told) {}
  Tidying(const Tidying&) = delete;
  Tidying& operator=(const Tidying&) = delete;
  /// The shell writes the exit code behind END: into a file of its own, were this one gone by then.
  [[nodiscard]] bool is_due() const { return !told_ || files_.ended_at_ms(nonce_).has_value(); }
  ~Tidying() { files_.remove(nonce_); }

 private:
  CommandFiles files_;
  std::string nonce_;
  bool told_;
};

asio::awaitable<void> tidy_when_due(std::shared_ptr<Tidying> tidying) {
  Milliseconds pause = kTidyAfter;
  for (Milliseconds waited{0}; waited < kTidyBy; waited += pause, pause = std::min(2 * pause, kTidyLook)) {
    co_await sleep_for(pause);
    if (tidying->is_due()) {
      co_return;
    }
  }
}

asio::awaitable<void> write_records_later(std::weak_ptr<Tab> waiting) {
  for (;;) {
    co_await sleep_for(kRecordRetry);
    const std::shared_ptr<Tab> tab = waiting.lock();
    if (!tab) {
      co_return;
    }
    if (tab->records.write_kept()) {
      tab->records_wait = false;
      co_return;
    }
  }
}

}  // namespace

/// The command goes on where its record cannot be written: then a note says so. Returns why not.
std::string CommandRun::save_record() {
  std::string why_not = tab_->records.append(record_);
  recorded_ = true;
  if (why_not.empty()) {
    return why_not;
  }
  note_once(record_.notes,
            "the record of this command is kept in memory until it can be written: " + why_not);
  if (!std::exchange(tab_->records_wait, true)) {
    asio::co_spawn(context_.executor, write_records_later(tab_), asio::detached);
  }
  return why_not;
}

/// C-z gives the prompt back, though nothing has ended. Most shells then tell 128 plus the signal, fish and
/// mksh 0; where more follows in the text, the code is of that. There it is looked for where keys were sent.
std::optional<std::string> CommandRun::what_is_stopped() const {
  const int signal = log_.end()->exit_code - 128;
  const bool told = signal == SIGTSTP || signal == SIGSTOP || signal == SIGTTIN || signal == SIGTTOU;
  if (!told && !looks_interrupted(*end()) &&
      steady_ms(tab_->shell.last_input()) < record_.started_steady_ms) {
    return std::nullopt;
  }
  for (const ProcessInfo& process : process_tree(record_.shell_pid, kStoppedAmong)) {
    if (process.state == 'T' && process_tag(process.pid) == command_tag(tab_->tag, record_.nonce)) {
      return std::string(signal == SIGTSTP ? "stopped (C-z)" : "stopped") + ", not ended: pid " +
             std::to_string(process.pid) + " (" + describe_process(process.pid) +
             "); `fg` in this tab goes on with it, `kill %%` ends it";
    }
  }
  return std::nullopt;
}

/// Ends the command as its END says.
void CommandRun::conclude() {
  stopped_ = is_interrupted() ? std::nullopt : what_is_stopped();
  end_as(outcome_of(*end(), why(), touched_, is_stopped()));
}

void CommandRun::end_as(const Outcome& outcome) {
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
      log_.forget_end();
      record_.notes.emplace_back(
          "no shell answered in this tab, nothing was run; look at it with read_screen, C-c by send_keys "
          "leaves what has its keyboard");
      break;
    case Seen::called_off:
      record_.notes.push_back(std::string("nothing was run: ") +
                              (outcome.reason == Reason::timeout ? "its time was over" : "it was cancelled") +
                              " before the shell was at its prompt and could take it");
      break;
    case Seen::not_typed:
      throw why_not_typed();
    case Seen::not_begun:
      throw Error(ErrorCode::tab_closed,
                  "tab " + to_string(tab_->window) + " was closed before the command began");
    case Seen::gave_up:
      record_.notes.emplace_back("its end was never seen; what it started was killed");
      give_up(outcome.reason);
      return;
    case Seen::log_unreadable:
      record_.notes.emplace_back(log_.unreadable()->what());
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

void CommandRun::note_end(const Outcome& outcome) {
  record_.end_byte = log_.trimmed_end();
  if (outcome.seen == Seen::refused) {
    record_.start_byte = record_.end_byte;  // before it stands what we typed, which is nobody's output
    record_.notes.emplace_back(
        "the shell did not take the command: it arrived damaged, or there is no base64 there; nothing was "
        "run");
    return;
  }
  if (!log_.has_start()) {
    record_.notes.emplace_back(
        "its beginning is missing from the log: the output has what was typed, and the prompt, in front");
  }
  if (record_.way_in && is_alive(record_.way_in->process)) {
    record_.way_in->seen_steady_ms = steady_ms(Clock::now());
  }
  if (stopped_ && outcome.state == CommandState::completed) {
    record_.notes.push_back(*stopped_);
  }
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

void CommandRun::note_exit_file(Seen seen) {
  try {
    note_end_of_log(seen);
  } catch (const Error& error) {
    record_.notes.emplace_back("the exit code is known from its file; the output is not: " +
                               std::string(error.what()));
  }
}

void CommandRun::note_end_of_log(Seen seen) {
  if (seen == Seen::exit_file) {
    record_.notes.push_back("the end of the command is missing from the log" + why_end_is_missing() +
                            "; the exit code is known from its file");
  } else {
    record_.notes.push_back(std::string(seen == Seen::tmux_stands_still ? "tmux" : "the writer of the log") +
                            " stands still: the exit code is known from its file, output may still come "
                            "into the log");
  }
  record_.end_byte = output_end();  // what was looked at: END may be coming just now
  if (const std::uint64_t counted = tab_->log.counted_end(); counted > tab_->log.end()) {
    // The log takes nothing just now: END is in the writer's memory, or lost.
    record_.unread_from = std::max(record_.end_byte, std::uint64_t{1});
    record_.end_byte = std::max(record_.end_byte, counted);
  }
}

/// The process whose directory is the tab's from now on. A shell that told the end itself is at its prompt.
int CommandRun::who_goes_on(const Outcome& outcome) const {
  if (outcome.seen == Seen::end && log_.end() && log_.end()->by != Marker::By::shell) {
    if (const auto shell = its_shell()) {
      return shell->pid;
    }
  }
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  return foreground.pid != 0 ? foreground.pid : foreground.shell_pid;
}

void CommandRun::finish(const Outcome& outcome) {
  if (has_ended()) {
    return;
  }
  record_.state = outcome.state;
  record_.reason = outcome.reason;
  record_.exit_code = outcome.exit_code;
  record_.timed_out = outcome.reason == Reason::timeout;
  record_.end_byte = std::max(record_.end_byte, record_.start_byte);
  record_.duration_ms = duration_ms();
  if (const auto ended_at = adopted_ ? tab_->files.ended_at_ms(record_.nonce) : std::nullopt) {
    // It may have ended while nobody looked. The clock may have been set since.
    const auto took = std::max<std::int64_t>(0, *ended_at - record_.started_at_ms);
    record_.duration_ms = std::min(record_.duration_ms, static_cast<std::uint64_t>(took));
  }
  errands_.clear();
  end_what_runs_inside();
  if (const std::string cwd = process_cwd(who_goes_on(outcome)); !cwd.empty()) {
    record_.cwd = cwd;
  }
  tab_->last_exit = outcome.exit_code.value_or(tab_->last_exit);
  tab_->shell.has_ended_command(Clock::now());
  if (log_.end() && log_.end()->by == Marker::By::shell) {
    record_.notes.emplace_back(
        "the shell ended with this command; a new one was started in the same tab, in " + record_.cwd +
        " (variables, functions and options of the old one are gone)");
  }
  keep_what_was_told();
  // The record comes first: should we be killed before the mark goes, the next server sees that its command
  // has ended.
  static_cast<void>(save_record());
  tab_->files.unmark_running(record_.nonce);
  leave_tab();
  ended_.set();
  output_changed_.notify();
  tidy_later(outcome);
}

/// A moment later, so that the answer does not wait for it; or with the event loop, should that end before.
void CommandRun::tidy_later(const Outcome& outcome) const {
  const bool told = in_files_ && outcome.seen == Seen::end && log_.end()->by == Marker::By::wrapper;
  auto tidying = std::make_shared<Tidying>(tab_->files, record_.nonce, told);
  asio::co_spawn(context_.executor, tidy_when_due(std::move(tidying)), asio::detached);
}

void CommandRun::leave_tab() {
  std::erase_if(tab_->runs, [this](const auto& run) { return run.get() == this; });
  if (tab_->runs.empty()) {
    tab_->command_lock.release();
  }
}

}  // namespace terminally
