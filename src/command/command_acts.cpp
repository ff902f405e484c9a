// What is done for a command: what its life decides, and the one signal of stop_process.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"
#include "command/command_run.hpp"
#include "log/log_end.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "system/terminal_text.hpp"
#include "tab/tab_processes.hpp"
#include "tab/terminal_signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTmuxAnswers{1'000};
constexpr Milliseconds kServerEndsWithin{100};
constexpr int kLooksForDescendants = 15;
constexpr std::size_t kMostNested = 1'000;
constexpr std::size_t kMostNamed = 5;

constexpr std::string_view kNotEnded = "not ended: ";

std::string left_running(const std::vector<Survivor>& survivors) {
  std::string note(kNotEnded);
  for (std::size_t i = 0; i < std::min(survivors.size(), kMostNamed); ++i) {
    note +=
        (i == 0 ? "pid " : ", pid ") + std::to_string(survivors[i].pid) + " (" + survivors[i].command + ")";
  }
  return survivors.size() > kMostNamed
             ? note + " and " + std::to_string(survivors.size() - kMostNamed) + " more"
             : note;
}

}  // namespace

asio::awaitable<void> CommandRun::carry_out(Act act) {
  if (carry_out_at_once(act)) {
    co_return;
  }
  if (const auto* awaited = std::get_if<act::Await>(&act)) {
    errands_.erase(awaited->errand);  // should it be going on beside
    co_await run(awaited->errand);
  } else if (std::holds_alternative<act::Approach>(act)) {
    const bool reached = co_await approach();
    if (reached) {
      life_.did(Did::reached_prompt, Clock::now());
    }
  } else if (const auto* typing = std::get_if<act::Type>(&act)) {
    const Did did = co_await type(typing->attempt);
    life_.did(did, Clock::now());
  } else if (std::holds_alternative<act::ClearPrompt>(act)) {
    co_await clear_prompt();
    life_.did(Did::cleared, Clock::now());
  }
}

/// False: this act takes a while, and was not carried out.
bool CommandRun::carry_out_at_once(const Act& act) {
  if (const auto* signal = std::get_if<act::SignalGroup>(&act)) {
    strike(*signal);
  } else if (const auto* to_shell = std::get_if<act::SignalShell>(&act)) {
    if (const auto shell = its_shell()) {
      signal_process(*shell, to_shell->signal);
    }
  } else if (const auto* errand = std::get_if<act::Begin>(&act)) {
    begin(errand->errand);
  } else if (const auto* pressing = std::get_if<act::RecordPressing>(&act)) {
    record_pressing(*pressing);
  } else if (std::holds_alternative<act::RemoveScript>(act)) {
    if (in_files_) {
      tab_->files.remove_script(record_.nonce);
    }
  } else if (std::holds_alternative<act::RestoreFiles>(act)) {
    restore_files();
  } else if (std::holds_alternative<act::LookForShells>(act)) {
    look_for_nested_shell();
  } else if (std::holds_alternative<act::Withdraw>(act)) {
    withdraw();
  } else {
    return false;
  }
  return true;
}

asio::awaitable<void> CommandRun::run(Errand errand) {
  errand_states_[errand] = ErrandState::going;
  switch (errand) {
    case Errand::press_interrupt_key:
      co_await press_interrupt_key(*tab_, *terminal_);
      key_ticks_ = ticks_since_boot();
      break;
    case Errand::type_probe:
      co_await type_probe();
      break;
    case Errand::ask_tmux:
      tmux_answered_ = co_await terminal_->answers_within(kTmuxAnswers);
      break;
    case Errand::end_rest:
      co_await end_rest();
      break;
    case Errand::read_log_out:
      co_await read_log_out();
      break;
    case Errand::settle_prompt:
      co_await settle_prompt();
      break;
  }
  is_done(errand);
}

void CommandRun::begin(Errand errand) {
  errand_states_[errand] = ErrandState::going;
  errands_.erase(errand);
  const auto self = shared_from_this();
  errands_.emplace(errand, Background(context_.executor, run_beside(self, errand)));
}

/// It keeps the command alive: it may run on for a moment when nobody asks for it any more. One that fails is
/// done, too: what waits for it goes on.
asio::awaitable<void> CommandRun::run_beside(RunPtr self, Errand errand) {
  try {
    co_await self->run(errand);
  } catch (const Error&) {
    self->is_done(errand);
  } catch (const boost::system::system_error& error) {  // the system has no memory or descriptor for a wait
    if (error.code() != asio::error::operation_aborted) {
      self->is_done(errand);
    }
  }
}

void CommandRun::is_done(Errand errand) {
  errand_states_[errand] = ErrandState::done;
  watch_.wake();
}

/// It is on record: whoever comes after us goes on with it.
void CommandRun::record_pressing(const act::RecordPressing& pressing) {
  if (pressing.why == Reason::cancelled_by_client) {
    // Marked only here: when the cancel was asked for, the command may have had no nonce yet.
    tab_->files.mark_cancelled(record_.nonce, pressing.force);
  }
  CommandRecord interrupted = record_;
  interrupted.reason = pressing.why;
  static_cast<void>(tab_->records.append(interrupted));  // it is ended all the same
}

/// Ends a foreground group. When it is not the first that had to be ended, the shell goes on with its text
/// from step to step, and is told not to.
void CommandRun::strike(const act::SignalGroup& signal) {
  signal_foreground(tab_->pane_pid, signal.group, signal.signal,
                    signal.shell_goes_on ? shell_to_tell(signal) : std::nullopt);
}

/// While it still waits: it keeps that in mind until its child is gone, and a SIGINT behind that could hit
/// what prints END. ksh93 leaves its child at once, whose time to end well would be over with the command.
std::optional<ProcessId> CommandRun::shell_to_tell(const act::SignalGroup& signal) const {
  const Foreground now = look_at_foreground(tab_->pane_pid);
  const bool waits =
      now.group == signal.group && now.pid != 0 && now.pid != record_.shell_pid && !exit_code();
  const auto its = waits ? its_shell() : std::nullopt;
  const auto shell = its ? process_info(*its) : std::nullopt;
  const bool is_told = shell && (signal.signal == SIGKILL || !shell->name.starts_with("ksh"));
  return is_told ? its : std::nullopt;
}

asio::awaitable<void> CommandRun::signal_once(StopSignal signal) {
  if (!is_interrupted()) {
    wishes_.why = Reason::cancelled_by_client;
  }
  co_await let_program_start(*tab_);
  if (has_ended()) {
    co_return;  // what has the foreground now is something else
  }
  if (recorded_ && !std::exchange(record_.signalled, true)) {
    static_cast<void>(save_record());  // before the signal: whoever comes after us knows whose it was
  }
  key_ticks_ = ticks_since_boot();
  co_await signal_foreground_once(*tab_, *terminal_, signal, record_.shell_pid);
}

bool CommandRun::signal_came_too_early() const {
  return foreground().missed_key;
}

asio::awaitable<void> CommandRun::type_probe() {
  try {
    co_await terminal_->type("\x15" + script_.probe_line + "\r", Typed::key);
  } catch (const Error&) {
    // without the probe, the command is ended by force
  }
}

CommandMarks CommandRun::marks() const {
  CommandMarks marks;
  marks.tags.insert(command_tag(tab_->tag, record_.nonce));
  marks.pane = tab_->pane_pid;
  marks.shell_pid = record_.shell_pid;
  marks.started_ticks = record_.started_ticks;
  marks.older_jobs = record_.older_jobs;
  // While it runs, others can only be typed into a shell that it has opened.
  for (const CommandRecord& later : tab_->records.load(kMostNested)) {
    if (later.typed_byte > record_.typed_byte) {
      marks.tags.insert(command_tag(tab_->tag, later.nonce));
    }
  }
  return marks;
}

/// What the command started and left behind in other groups or sessions. Jobs of earlier commands, and what
/// those start meanwhile, are spared; so are the shell and whatever is not of this tab. What cannot be told
/// is spared, too, and named.
asio::awaitable<void> CommandRun::end_rest() {
  const CommandMarks command = marks();
  TabProcesses processes(context_.processes, *tab_);
  // One that forks and leaves while it is looked for is missed with its child, so one look is not enough.
  int nothing_found = 0;
  for (int looks = 0; looks < kLooksForDescendants && nothing_found < 2; ++looks) {
    survivors_.clear();
    bool killed = false;
    co_await processes.look();
    for (const auto& [pid, process] : processes.seen()) {
      const Whose owner = whose(process, processes.seen(), command);
      if (owner == Whose::command || owner == Whose::unknown) {
        survivors_.push_back(survivor(process.info));
      }
      killed = (owner == Whose::command && signal_process(process.info.id(), SIGKILL)) || killed;
    }
    nothing_found = killed ? 0 : nothing_found + 1;
    co_await sleep_for(Milliseconds(10));
  }
  // What was a step of the next prompt has ended by itself.
  std::erase_if(survivors_, [](const Survivor& survivor) {
    const auto process = process_info(survivor.pid);
    return !process || process->state == 'Z';
  });
  if (!survivors_.empty()) {
    std::erase_if(record_.notes, [](const std::string& note) { return note.starts_with(kNotEnded); });
    record_.notes.push_back(left_running(survivors_));  // of the latest look: END may come behind the first
  }
}

/// The pane's process is gone. Its last bytes are still on their way into the log, and a tmux server that is
/// ending closes its tabs a moment before.
asio::awaitable<void> CommandRun::read_log_out() {
  co_await wait_for_log_end(tab_->log, Clock::now() + kLogEndsWithin);
  co_await catch_up();
  if (!log_.end() && context_.server_alive()) {
    co_await sleep_for(kServerEndsWithin);
  }
}

/// After END and before anybody learns of the end, so that no other command comes between: asks whether
/// somebody else may have typed C-c, while tmux still knows it.
asio::awaitable<void> CommandRun::settle_prompt() {
  if (life_.pressing().has_killed()) {
    leave_full_screen(tab_->tty);
  }
  if (!is_interrupted()) {
    // Only where somebody else may have typed in the tab, the C-c counts as theirs.
    if (looks_interrupted(*end())) {
      try {
        touched_ = co_await terminal_->is(PaneFact::touched);
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then nobody is known to have been there
      }
    }
    stopped_ = what_is_stopped();
  }
}

/// What the shell needs at the end of the command, if somebody has removed it (cleaners of /tmp do).
void CommandRun::restore_files() const noexcept {
  if (script_.files.empty() || !log_.has_start() || !tab_->files.are_gone(record_.nonce)) {
    return;
  }
  try {
    tab_->files.write(script_, record_.nonce);
    mark_running();
    tab_->files.mark_taken(record_.nonce);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next look tries again
  }
}

}  // namespace terminally
