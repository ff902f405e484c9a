// How a command is ended by force: C-c, SIGTERM, SIGKILL, for each new foreground group until the shell is
// back.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"
#include "tmux/command_run.hpp"
#include "tmux/tab_processes.hpp"
#include "tmux/tty_wait.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kKeyWithin{1'000};
/// How long the signal of stop_process waits for a program to take the foreground from the shell that is
/// starting it.
constexpr Milliseconds kProgramStarts{60};
constexpr Milliseconds kKeyAgainAfter{200};
/// When the shell is killed where a program was before it: it may be coming back to its prompt.
constexpr Milliseconds kKillShellAfter{5'400};
/// Every call returns by its deadline plus 6 s.
constexpr Milliseconds kGiveUpAfter{350};
constexpr Milliseconds kStep{50};
/// The most that one pause counts as: a machine that stands still takes no patience from the program.
constexpr Milliseconds kStepCountsFor{250};
/// How long a shell may sit at its prompt after our C-c before its hook counts as lost and the probe is
/// typed.
constexpr Milliseconds kHookLost{400};
/// How long a forced end waits for the shell.
constexpr Milliseconds kForcedPatience{400};
constexpr Milliseconds kToShellAgain{500};
constexpr int kLooksForDescendants = 15;
constexpr std::size_t kMostNested = 1'000;
constexpr std::size_t kMostNamed = 5;

std::string left_running(const std::vector<Survivor>& survivors) {
  std::string note = "not ended: ";
  for (std::size_t i = 0; i < std::min(survivors.size(), kMostNamed); ++i) {
    note +=
        (i == 0 ? "pid " : ", pid ") + std::to_string(survivors[i].pid) + " (" + survivors[i].command + ")";
  }
  return survivors.size() > kMostNamed
             ? note + " and " + std::to_string(survivors.size() - kMostNamed) + " more"
             : note;
}

/// Whether the group may not have been there, or not have had the foreground, at this moment.
bool was_just_started(int group, std::uint64_t ticks) {
  constexpr std::uint64_t kStartTicks = 5;  // 50 ms
  const auto program = process_info(group);
  return program && program->start_ticks + kStartTicks >= ticks;
}

}  // namespace

void CommandRun::interrupt(Reason why, bool force) {
  if (has_ended()) {
    return;
  }
  if (interrupt_reason_ == Reason::none) {
    interrupt_reason_ = why;
  }
  force_ = force_ || force;
  interrupt_asked_.set();
}

asio::awaitable<void> CommandRun::signal_once(StopSignal signal) {
  if (interrupt_reason_ == Reason::none) {
    interrupt_reason_ = Reason::cancelled_by_client;
  }
  const auto patience = Clock::now() + kProgramStarts;
  while (look_at_foreground(tab_->pane_pid).kind == Foreground::Kind::shell && !has_ended() &&
         Clock::now() < patience) {
    co_await sleep_for(Milliseconds(5));
  }
  if (has_ended()) {
    co_return;  // what has the foreground now is something else
  }
  if (recorded_ && !std::exchange(record_.signalled, true)) {
    save_record();  // before the signal: whoever comes after us knows whose it was
  }
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  signalled_ticks_ = ticks_since_boot();
  const bool own_shell = foreground.kind == Foreground::Kind::shell || foreground.pid == record_.shell_pid;
  if (signal == StopSignal::interrupt) {
    co_await send_interrupt_key();
  } else if (!own_shell || foreground.shell != ShellKind::fish) {  // it alone would die of it, and the tab
    signal_foreground(tab_->pane_pid, foreground.group, SIGTERM);
  }
}

bool CommandRun::signal_came_too_early() const {
  return was_just_started(look_at_foreground(tab_->pane_pid).group, signalled_ticks_);
}

/// As a person would. A frozen or dead tmux cannot carry the key: then the signal itself.
asio::awaitable<void> CommandRun::send_interrupt_key() {
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  bool sent = false;
  try {
    const TmuxClient impatient = tmux_.with_deadline(kKeyWithin);
    co_await impatient.change(type_bytes(to_string(tab_->pane), "\x03"));
    sent = true;
  } catch (const Error&) {
  }
  if (!sent) {
    signal_foreground(tab_->pane_pid, foreground.group, SIGINT);
  }
}

/// The last resort: our C-c brought the prompt back, but the text had taken the hook away.
asio::awaitable<void> CommandRun::type_probe() {
  try {
    co_await tmux_.change(type_bytes(to_string(tab_->pane), "\x15" + script_.probe_line + "\r"));
  } catch (const Error&) {
    // the escalation goes on without it
  }
}

/// The shell that the command was typed into: its number, as long as it is of a process from before.
std::optional<ProcessId> CommandRun::its_shell() const {
  const auto shell = process_info(record_.shell_pid);
  const bool still = shell && shell->state != 'Z' && shell->start_ticks <= record_.started_ticks &&
                     shell->session == tab_->pane_pid.pid;
  return still ? std::optional(shell->id()) : std::nullopt;
}

/// Ends a foreground group. When it is not the first that had to be ended, the shell goes on with its text
/// from step to step: bash does so when a child dies of anything but SIGINT, and does not hear a SIGINT while
/// it waits for a child. So it is told while it is between two children. Blocks for 8 ms at most.
void CommandRun::strike(const Foreground& foreground, int signal, bool shell_goes_on) {
  signal_foreground(tab_->pane_pid, foreground.group, signal);
  const auto until = Clock::now() + Milliseconds(8);
  while (shell_goes_on && Clock::now() < until && !tab_->files.exit_code(record_.nonce)) {
    const auto shell = its_shell();
    if (!shell) {
      return;
    }
    if (!process_info(foreground.group)) {
      signal_process(*shell, SIGINT);
    }
  }
}

/// The program that has the foreground: SIGTERM once, later SIGKILL. One that our C-c may have missed has it
/// again: of that bash ends its text, of SIGTERM it does not.
void CommandRun::press_program(const Foreground& now, Escalation& so_far) {
  if (force_ || so_far.elapsed >= kKillAfter) {
    so_far.struck.insert(now.group);
    killed_ = true;
    strike(now, SIGKILL, so_far.struck.size() > 1);
  } else if (so_far.elapsed >= kTermAfter && now.kind != Foreground::Kind::gateway &&
             so_far.struck.insert(now.group).second) {
    // A shell at its prompt does not hear SIGTERM. With SIGHUP it ends as when its terminal is closed.
    strike(now, now.shell && opened(now) ? SIGHUP : SIGTERM, so_far.struck.size() > 1);
  } else if (so_far.key_ticks != 0 && so_far.elapsed >= kKeyAgainAfter &&
             was_just_started(now.group, so_far.key_ticks)) {
    so_far.key_ticks = 0;  // once
    signal_foreground(tab_->pane_pid, now.group, SIGINT);
  }
}

/// The shell runs something itself, and no key of ours came to it as a signal (`stty -isig`).
void CommandRun::press_shell(Escalation& so_far) {
  const auto shell = its_shell();
  if (shell && (force_ || so_far.elapsed >= kTermAfter) && Clock::now() >= so_far.next_to_shell) {
    so_far.next_to_shell = Clock::now() + kToShellAgain;
    signal_process(*shell, SIGINT);
  }
}

asio::awaitable<void> CommandRun::mend_prompt(bool at_prompt, Escalation& so_far) {
  if (!at_prompt) {
    so_far.at_prompt.reset();
    co_return;
  }
  so_far.at_prompt = so_far.at_prompt.value_or(Clock::now());
  if (!so_far.probed && !force_ && !script_.probe_line.empty() &&
      Clock::now() - *so_far.at_prompt > kHookLost) {
    so_far.probed = true;
    co_await type_probe();
  }
}

/// It is on record: whoever comes after us goes on with it.
void CommandRun::record_interrupt() {
  if (interrupt_reason_ == Reason::cancelled_by_client) {
    // Here, because it may have been asked for before there was one.
    tab_->files.mark_cancelled(record_.nonce, force_);
  }
  CommandRecord interrupted = record_;
  interrupted.reason = interrupt_reason_;
  try {
    tab_->records.append(interrupted);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is ended all the same
  }
}

asio::awaitable<void> CommandRun::escalate() {
  co_await interrupt_asked_.wait();
  record_interrupt();
  const auto begin = Clock::now();
  Escalation so_far;
  if (!force_) {
    co_await send_interrupt_key();
    so_far.key_ticks = ticks_since_boot();
  }
  Clock::duration stood_still{};
  for (;;) {
    so_far.elapsed = Clock::now() - begin - stood_still;
    const Foreground now = look_at_foreground(tab_->pane_pid);
    const bool own_shell = (now.kind == Foreground::Kind::shell ||
                            (now.kind == Foreground::Kind::nested && now.pid == record_.shell_pid)) &&
                           !opened(now);
    const bool at_prompt = own_shell && prompt_state(now, tab_->tty) == Prompt::ready;
    const auto mode = terminal_mode(tab_->tty);
    if (own_shell && (!at_prompt || (mode && !mode->keys_signal))) {
      press_shell(so_far);
    } else if (!own_shell && now.kind != Foreground::Kind::nothing) {
      press_program(now, so_far);
    }
    co_await mend_prompt(at_prompt, so_far);
    const auto patience = force_ ? kForcedPatience : kKillShellAfter;
    const auto kill_shell_at = own_shell && !killed_ ? std::min(patience, kKillAfter) : patience;
    const auto shell = so_far.elapsed >= kill_shell_at && !shell_killed_ ? its_shell() : std::nullopt;
    if (shell) {
      shell_killed_ = true;
      signal_process(*shell, SIGKILL);  // of the tab's own, terminally-shell prints END and starts another
    }
    if (so_far.elapsed >= patience + kGiveUpAfter) {
      co_await end_descendants();
      record_.notes.emplace_back("its end was never seen; what it started was killed");
      give_up(interrupt_reason_);
      co_return;  // what is in the tab from now on is not this command's
    }
    const auto asleep = Clock::now();
    co_await sleep_for(kStep);
    stood_still += std::max<Clock::duration>(Clock::now() - asleep - kStepCountsFor, Clock::duration::zero());
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
  const auto latest = tab_->records.latest();
  if (latest && latest->nonce != record_.nonce) {
    for (const CommandRecord& later : tab_->records.load(kMostNested)) {
      if (later.typed_byte > record_.typed_byte) {
        marks.tags.insert(command_tag(tab_->tag, later.nonce));
      }
    }
  }
  return marks;
}

/// What the command started and left behind in other groups or sessions. Jobs of earlier commands, and what
/// those start meanwhile, are spared; so are the shell and whatever is not of this tab. What cannot be told
/// is spared, too, and named.
asio::awaitable<void> CommandRun::end_descendants() {
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
  if (!survivors_.empty()) {
    record_.notes.push_back(left_running(survivors_));
  }
}

}  // namespace terminally
