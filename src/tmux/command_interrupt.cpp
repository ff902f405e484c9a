// How a command is ended by force: C-c, SIGTERM, SIGKILL, for each new foreground group until the shell is
// back.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "tmux/command_run.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kKeyWithin{1'000};
/// How long the signal of stop_process waits for a program to take the foreground from the shell that is
/// starting it.
constexpr Milliseconds kProgramStarts{60};
constexpr Milliseconds kKillShellAfter{5'400};
/// Every call returns by its deadline plus 6 s.
constexpr Milliseconds kGiveUpAfter{500};
constexpr Milliseconds kStep{50};
/// The most that one pause counts as: a machine that stands still takes no patience from the program.
constexpr Milliseconds kStepCountsFor{250};
/// How long a shell may sit at its prompt after our C-c before its hook counts as lost and the probe is
/// typed.
constexpr Milliseconds kHookLost{400};

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
    save_record_if_possible();  // before the signal: whoever comes after us knows whose it was
  }
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  signalled_ticks_ = ticks_since_boot();
  if (signal == StopSignal::interrupt) {
    co_await send_interrupt_key();
  } else if (foreground.group > 0) {
    ::kill(-foreground.group, SIGTERM);
    ::kill(-foreground.group, SIGCONT);
  }
}

bool CommandRun::signal_came_too_early() const {
  constexpr std::uint64_t kStartTicks = 5;  // 50 ms
  const auto program = process_info(look_at_foreground(tab_->pane_pid).group);
  return program && program->start_ticks + kStartTicks >= signalled_ticks_;
}

/// As a person would. A frozen or dead tmux cannot carry the key: then the signal itself.
asio::awaitable<void> CommandRun::send_interrupt_key() {
  const Foreground foreground = look_at_foreground(tab_->pane_pid);
  bool sent = false;
  try {
    const TmuxClient impatient = context_.client.with_deadline(kKeyWithin);
    co_await impatient.change(type_bytes(to_string(tab_->pane), "\x03"));
    sent = true;
  } catch (const Error&) {
  }
  if (!sent && foreground.group > 0) {
    ::kill(-foreground.group, SIGINT);
  }
}

/// The last resort: our C-c brought the prompt back, but the text had taken the hook away.
asio::awaitable<void> CommandRun::type_probe() {
  try {
    co_await context_.client.change(type_bytes(to_string(tab_->pane), "\x15" + script_.probe_line + "\r"));
  } catch (const Error&) {
    // the escalation goes on without it
  }
}

/// Ends a foreground group. When it is not the first that had to be ended, the shell goes on with its text
/// from step to step: bash does so when a child dies of anything but SIGINT, and does not hear a SIGINT while
/// it waits for a child. So it is told while it is between two children. Blocks for 8 ms at most.
void CommandRun::strike(const Foreground& foreground, int signal, bool shell_goes_on) {
  ::kill(-foreground.group, signal);
  ::kill(-foreground.group, SIGCONT);  // a stopped job would not see it
  const auto until = Clock::now() + Milliseconds(8);
  while (shell_goes_on && foreground.shell_pid > 0 && Clock::now() < until &&
         !tab_->files.exit_code(record_.nonce)) {
    if (!process_info(foreground.group)) {
      ::kill(foreground.shell_pid, SIGINT);
    }
  }
}

asio::awaitable<void> CommandRun::escalate() {
  co_await interrupt_asked_.wait();
  if (interrupt_reason_ == Reason::cancelled_by_client) {
    tab_->files.mark_cancelled(
        record_.nonce);  // here, because it may have been asked for before there was one
  }
  CommandRecord interrupted = record_;
  interrupted.reason = interrupt_reason_;
  try {
    tab_->records.append(interrupted);  // whoever comes after us goes on with it
  } catch (const Error&) {              // NOLINT(bugprone-empty-catch): it is ended all the same
  }
  const auto begin = Clock::now();
  if (!force_) {
    co_await send_interrupt_key();
  }
  std::set<int> struck;
  bool probed = false;
  std::optional<Clock::time_point> at_prompt;
  Clock::duration stood_still{};
  for (;;) {
    const auto elapsed = Clock::now() - begin - stood_still;
    const Foreground now = look_at_foreground(tab_->pane_pid);
    const bool own_shell = now.kind == Foreground::Kind::shell;
    const bool kill_now = force_ || elapsed >= kKillAfter;
    if (now.group > 0 && !own_shell && now.kind != Foreground::Kind::nothing) {
      if (kill_now) {
        struck.insert(now.group);
        killed_ = true;
        strike(now, SIGKILL, struck.size() > 1);
      } else if (elapsed >= kTermAfter && now.kind != Foreground::Kind::gateway &&
                 struck.insert(now.group).second) {
        strike(now, SIGTERM, struck.size() > 1);
      }
    }
    if (own_shell && prompt_state(now, tab_->tty) == Prompt::ready) {
      at_prompt = at_prompt.value_or(Clock::now());
      if (!probed && !force_ && !script_.probe_line.empty() && Clock::now() - *at_prompt > kHookLost) {
        probed = true;
        co_await type_probe();
      }
    } else {
      at_prompt.reset();
    }
    const auto patience = force_ ? Milliseconds(400) : kKillShellAfter;
    // Whoever has the foreground just now: between two looks it may be one short child after the other.
    if (!nested_ && elapsed >= patience && !shell_killed_ && now.shell_pid > 0) {
      shell_killed_ = true;
      ::kill(now.shell_pid, SIGKILL);  // terminally-shell prints END and starts another
    }
    if (elapsed >= patience + kGiveUpAfter) {
      record_.notes.emplace_back("its end was never seen; what it started was killed");
      give_up(interrupt_reason_);
    }
    const auto asleep = Clock::now();
    co_await sleep_for(kStep);
    stood_still += std::max<Clock::duration>(Clock::now() - asleep - kStepCountsFor, Clock::duration::zero());
  }
}

/// What the command started and left behind in other groups or sessions: known by the tab's cookie in its
/// environment and by having been started since. Jobs of earlier commands are older and spared; so are the
/// shell and whatever is not of this tab.
asio::awaitable<void> CommandRun::end_descendants() {
  // A tick is 10 ms: what an earlier command started in the same tick is told apart by having been there.
  const auto is_ours = [this](const ProcessInfo& process) {
    const auto older = [this](int pid) {
      return std::find(record_.older_jobs.begin(), record_.older_jobs.end(), pid) != record_.older_jobs.end();
    };
    return process.start_ticks > record_.started_ticks ||
           (process.start_ticks == record_.started_ticks && !older(process.pid) && !older(process.parent));
  };
  const auto descendants = [&]() {
    const int shell = first_child(tab_->pane_pid).value_or(0);
    std::vector<int> pids;
    for (const ProcessInfo& process : processes_with_environment(tab_->cookie)) {
      if (is_ours(process) && process.pid != shell && process.pid != tab_->pane_pid) {
        pids.push_back(process.pid);
      }
    }
    return pids;
  };
  std::vector<int> left = descendants();
  for (const int pid : left) {
    ::kill(pid, SIGKILL);
  }
  for (int i = 0; i < 20 && !left.empty(); ++i) {
    co_await sleep_for(Milliseconds(10));
    left = descendants();
  }
  for (const int pid : left) {
    survivors_.push_back(Survivor{pid, describe_process(pid)});
  }
}

}  // namespace terminally
