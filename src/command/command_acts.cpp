// What is done to a command that runs: signals, keys, the end of what it left, the looks at its end.

#include "command/command_acts.hpp"

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"
#include "log/log_end.hpp"
#include "system/keyboard_wait.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"
#include "tab/tab_processes.hpp"
#include "tab/terminal_signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTmuxAnswers{1'000};
constexpr Milliseconds kServerEndsWithin{100};
constexpr int kLooksForDescendants = 15;
constexpr std::size_t kMostNested = 1'000;
/// How many processes of a tab are looked at for one that is stopped.
constexpr std::size_t kStoppedAmong = 200;

CommandMarks marks_of(const Tab& tab, const CommandRecord& command) {
  CommandMarks marks;
  marks.tags.insert(command_tag(tab.tag, command.nonce));
  marks.pane = tab.pane_pid;
  marks.shell_pid = command.shell_pid;
  marks.started_ticks = command.started_ticks;
  marks.older_jobs = command.older_jobs;
  // While it runs, others can only be typed into a shell that it has opened.
  for (const CommandRecord& later : tab.records.load(kMostNested)) {
    if (later.typed_byte > command.typed_byte) {
      marks.tags.insert(command_tag(tab.tag, later.nonce));
    }
  }
  return marks;
}

/// C-z gives the prompt back, though nothing has ended. Most shells then tell 128 plus the signal, fish and
/// mksh 0; where more follows in the text, the code is of that. There it is looked for where keys were sent.
std::optional<std::string> what_is_stopped(const Tab& tab, const CommandRecord& record, SeenEnd end) {
  const int signal = end.exit_code - 128;
  const bool told = signal == SIGTSTP || signal == SIGSTOP || signal == SIGTTIN || signal == SIGTTOU;
  if (!told && !looks_interrupted(end) && steady_ms(tab.shell.last_input()) < record.started_steady_ms) {
    return std::nullopt;
  }
  for (const ProcessInfo& process : process_tree(record.shell_pid, kStoppedAmong)) {
    if (process.state == 'T' && process_tag(process.pid) == command_tag(tab.tag, record.nonce)) {
      return std::string(signal == SIGTSTP ? "stopped (C-z)" : "stopped") + ", not ended: pid " +
             std::to_string(process.pid) + " (" + describe_process(process.pid) +
             "); `fg` in this tab goes on with it, `kill %%` ends it";
    }
  }
  return std::nullopt;
}

}  // namespace

bool was_just_started(int group, std::uint64_t ticks) {
  constexpr std::uint64_t kStartTicks = 5;  // 50 ms
  const auto program = process_info(group);
  return program && program->start_ticks + kStartTicks >= ticks;
}

void CommandActs::begin(const std::shared_ptr<CommandActs>& self, LongAct act) {
  self->states_[act] = ActState::going;
  self->begun_.erase(act);
  self->begun_.emplace(act, Background(self->context_.executor, run_beside(self, act)));
}

asio::awaitable<void> CommandActs::finish(LongAct act) {
  begun_.erase(act);
  return run(act);
}

ActState CommandActs::state_of(LongAct act) const {
  const auto found = states_.find(act);
  return found == states_.end() ? ActState::none : found->second;
}

asio::awaitable<void> CommandActs::run(LongAct act) {
  states_[act] = ActState::going;
  switch (act) {
    case LongAct::press_interrupt_key:
      if (is_left_by_its_shell()) {
        break;
      }
      co_await press_interrupt_key(tab_, terminal_, context_.processes, record_->shell_pid);
      found_.key_ticks = ticks_since_boot();
      break;
    case LongAct::type_probe:
      co_await type_probe();
      break;
    case LongAct::ask_tmux:
      found_.tmux_answered = co_await terminal_.answers_within(kTmuxAnswers);
      break;
    case LongAct::end_rest:
      co_await end_rest();
      break;
    case LongAct::read_log_out:
      co_await read_log_out();
      break;
    case LongAct::settle_prompt:
      co_await settle_prompt();
      break;
  }
  is_done(act);
}

/// One that fails is done, too: what waits for it goes on.
asio::awaitable<void> CommandActs::run_beside(std::shared_ptr<CommandActs> self, LongAct act) {
  try {
    co_await self->run(act);
  } catch (const Error&) {
    self->is_done(act);
  } catch (const boost::system::system_error& error) {  // the system has no memory or descriptor for a wait
    if (error.code() != asio::error::operation_aborted) {
      self->is_done(act);
    }
  }
}

void CommandActs::is_done(LongAct act) {
  states_[act] = ActState::done;
  watch_.wake();
}

bool CommandActs::is_left_by_its_shell() const {
  return typed_.nested && shells_.own_is_gone();
}

asio::awaitable<void> CommandActs::signal_group(act::SignalGroup signal) const {
  TabProcesses processes(context_.processes, tab_, record_->shell_pid);
  co_await processes.look();
  const SeenGroup group = processes.group(signal.group);
  const Foreground in_tab = look_at_foreground(tab_.pane_pid);
  const Foreground front = end_of_keys(tab_.tty, in_tab).foreground;
  const bool is_behind = front.pid != in_tab.pid;
  if (state_.has_ended() || is_left_by_its_shell() || (is_behind && front.group != signal.group)) {
    co_return;
  }
  const auto told = signal.shell_goes_on ? shell_to_tell(signal, front) : std::nullopt;
  if (group.is_whole && !is_behind) {
    signal_foreground(tab_.pane_pid, signal.group, signal.signal, told);
    co_return;
  }
  if (is_behind && told) {
    signal_process(*told, SIGINT);
  }
  for (const ProcessId process : group.attached) {
    signal_process(process, signal.signal);
  }
}

/// While it still waits: it keeps that in mind until its child is gone, and a SIGINT behind that could hit
/// what prints END. ksh93 leaves its child at once, whose time to end well would be over with the command.
std::optional<ProcessId> CommandActs::shell_to_tell(const act::SignalGroup& signal,
                                                    const Foreground& now) const {
  const bool waits = now.group == signal.group && now.pid != 0 && now.pid != record_->shell_pid &&
                     !tab_.files.exit_code(record_->nonce);
  const auto its = waits ? shells_.own() : std::nullopt;
  const auto shell = its ? process_info(*its) : std::nullopt;
  const bool is_told = shell && (signal.signal == SIGKILL || !shell->name.starts_with("ksh"));
  return is_told ? its : std::nullopt;
}

asio::awaitable<void> CommandActs::signal_once(StopSignal signal) {
  if (!state_.is_interrupted()) {
    state_.requested.why = Reason::cancelled_by_client;
  }
  co_await let_program_start(tab_);
  if (state_.has_ended() || is_left_by_its_shell()) {
    co_return;  // what has the foreground now is something else
  }
  if (record_.is_recorded() && !std::exchange(record_.edit().signalled, true)) {
    static_cast<void>(record_.save());  // before the signal: whoever comes after us knows whose it was
  }
  const Foreground front = look_at_foreground(tab_.pane_pid);
  found_.key_ticks = ticks_since_boot();
  found_.signal_may_be_lost =
      front.kind != Foreground::Kind::program || was_just_started(front.group, found_.key_ticks);
  co_await signal_foreground_once(tab_, terminal_, signal, context_.processes, record_->shell_pid);
}

asio::awaitable<void> CommandActs::type_probe() {
  try {
    co_await terminal_.type("\x15" + typed_.script.probe_line + "\r", TypedAs::key);
  } catch (const Error&) {
    // without the probe, the command is ended by force
  }
}

/// What the command started and left behind in other groups. Jobs of earlier commands, and what those start
/// meanwhile, are spared; so are the shell and whatever is not of this tab. What was detached on purpose is
/// spared, too, as is what cannot be told, and after stop_process, which is one signal, everything. These are
/// named.
asio::awaitable<void> CommandActs::end_rest() {
  const CommandMarks command = marks_of(tab_, *record_);
  const bool ends = state_.requested.ends || state_.life.termination().has_pressed();
  const dev_t terminal = terminal_device(tab_.tty);
  TabProcesses processes(context_.processes, tab_, command.shell_pid);
  // One that forks and leaves while it is looked for is missed with its child, so one look is not enough.
  int nothing_found = 0;
  for (int looks = 0; looks < kLooksForDescendants && nothing_found < 2; ++looks) {
    std::vector<Survivor> survivors;
    bool killed = false;
    co_await processes.look();
    for (const auto& [pid, process] : processes.seen()) {
      const Whose owner = processes.whose(process, command);
      if (owner == Whose::older) {
        continue;
      }
      std::string why = processes.why_detached(process);
      const bool is_left = !why.empty() || !ends || owner == Whose::unknown;
      killed = (!is_left && signal_process(process.info.id(), SIGKILL)) || killed;
      if (why.empty()) {
        why = owner == Whose::unknown ? "not known to be this command's"
              : ends                  ? kNotEnded
                                      : "in the background";
      }
      if (tty_wait(pid, terminal) >= TtyWait::among) {
        why += ", reads the tab's keyboard";
      }
      survivors.push_back(survivor(process.info, std::move(why)));
    }
    record_.edit().survivors = std::move(survivors);  // of the latest look: END may come behind the first
    nothing_found = killed ? 0 : nothing_found + 1;
    co_await sleep_for(Milliseconds(10));
  }
  // What was a step of the next prompt has ended by itself.
  std::erase_if(record_.edit().survivors, [](const Survivor& survivor) { return !is_alive(survivor.pid); });
}

/// The pane's process is gone. Its last bytes are still on their way into the log, and a tmux server that is
/// ending closes its tabs a moment before.
asio::awaitable<void> CommandActs::read_log_out() {
  co_await wait_for_log_end(tab_.log, Clock::now() + kLogEndsWithin);
  co_await output_.catch_up();
  if (!output_.end() && context_.server_alive()) {
    co_await sleep_for(kServerEndsWithin);
  }
}

/// After END and before anybody learns of the end, so that no other command comes between: asks whether
/// somebody else may have typed C-c, while tmux still knows it.
asio::awaitable<void> CommandActs::settle_prompt() {
  if (state_.life.termination().has_killed()) {
    leave_full_screen(tab_.tty);
  }
  // Only where somebody else may have typed in the tab, the C-c counts as theirs.
  if (!state_.is_interrupted() && looks_interrupted(*output_.end())) {
    try {
      found_.others_typed = co_await terminal_.is(PaneFact::others_typed);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then nobody is known to have been there
    }
  }
  look_for_stopped();
}

void CommandActs::look_for_stopped() {
  found_.stopped = state_.is_interrupted() ? std::nullopt : what_is_stopped(tab_, *record_, *output_.end());
}

}  // namespace terminally
