#include "tmux/tabs/commands.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <exception>

#include "base/conventions.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "command/busy.hpp"
#include "command/nested_shell.hpp"
#include "command/prompt.hpp"
#include "system/inherited_lock.hpp"
#include "tab/hold.hpp"
#include "tmux/tabs/unfinished_commands.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTypingLook{10};

/// A command that is being ended has ended after this time: the escalation takes 6 s.
constexpr Milliseconds kEnds{7'000};

bool is_nested(const Foreground& foreground) {
  return foreground.kind == Foreground::Kind::nested || foreground.kind == Foreground::Kind::gateway;
}

/// A log that cannot be read just now may be readable later: who follows it sees to that.
void settle_if_possible(CommandRun& run, bool followed) {
  try {
    run.ending().settle(followed);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is said by who asks for the output
  }
}

}  // namespace

Awaitable<RunPtr> Commands::begin(TabPtr tab, CallTime time, Begin what) {
  FileLock turn = co_await turn_to_type(tab, time);
  co_await take_tab_or_refuse(tab, time, std::move(what.reserved));
  CommandRecord record;
  record.command = std::move(what.command);
  record.who = std::move(what.who);
  record.task_key = std::move(what.task_key);
  record.cwd = std::move(what.cwd);
  RunPtr run;
  try {
    run = std::make_shared<CommandRun>(context_, tab, std::move(record));
  } catch (const Error&) {  // the log cannot be watched
    if (tab->runs.empty()) {
      tab->command_lock.release();
    }
    throw;
  }
  run->set_deadline(what.deadline);
  if (what.spares_unseen) {
    run->spare_unseen();
  }
  tab->runs.push_back(run);
  const Spawned<> started(
      context_.executor, start(run, std::move(turn), time, std::move(what.input), std::move(what.meant_for)));
  bool aborted = false;
  bool in_time = false;
  try {
    in_time = co_await started.wait_by(time.returns_by());
  } catch (const boost::system::system_error&) {
    aborted = true;
  }
  if (!started.is_over() && !run->may_be_typed()) {
    started.cancel();
  } else if (aborted) {
    run->request_end(whose_cancel(), false);  // the next command waits for its end
  }
  if (aborted) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (!in_time && !run->may_be_typed()) {
    throw busy_without_prompt(*tab, look_at_foreground(tab->pane_pid));
  }
  if (!in_time) {
    run->call_has_answered();
  }
  started.result();
  if (run->has_ended() && !run->may_be_typed()) {
    throw Error(ErrorCode::tab_closed,
                "tab " + to_string(tab->window) + " was closed before the command began; nothing was run");
  }
  co_return run;
}

/// Spawned: a client that cancels in between must not leave a typed command that nobody looks after. `turn`
/// is for a nested shell.
Awaitable<void> Commands::start(RunPtr run, FileLock turn, CallTime time, std::filesystem::path input,
                                std::optional<MeantShell> meant_for) {
  try {
    co_await start_run(run, time.arrived(), time.short_patience(), std::move(input), std::move(meant_for));
  } catch (...) {
    turn.release();
    run->ending().abandon();
    throw;
  }
  turn.release();
  follow(run);
}

Reason Commands::whose_cancel() const {
  return config_.guest ? Reason::interrupted_in_tab : Reason::cancelled_by_client;
}

void Commands::follow(const RunPtr& run) {
  if (!run->has_ended()) {
    asio::co_spawn(context_.executor, run->follow(), [run](const std::exception_ptr& failure) {
      if (failure) {
        run->ending().give_up(Reason::none);
      }
    });
  }
}

void Commands::look_after(const TabPtr& tab) {
  const bool reserved = tab->runs.empty() && tab->command_lock;  // by a call that comes to its command
  const bool only_records = config_.guest && (tab->closed || !tab->runs.empty());
  if (reserved || only_records || !may_have_unfinished(*tab)) {
    return;
  }
  const std::vector<RunPtr> taken = take_over(tab);
  if (taken.empty()) {
    return;
  }
  for (const RunPtr& run : taken) {
    if (!run->has_ended()) {
      settle_if_possible(*run, !config_.guest);
    }
  }
  if (!config_.guest) {
    for (const RunPtr& run : taken) {
      follow(run);  // of a closed tab it ends at once, and leaves the tab
    }
    return;
  }
  if (tab->runs.size() == 1 && !tab->runs.front()->record().owned_apart &&
      tab->runs.front()->is_left_untaken()) {
    tab->files.remove(tab->runs.front()->record().nonce);  // whoever typed it died, and it never began
  }
  tab->runs.clear();
  tab->command_lock.release();
}

/// They stand among those of this process in the order in which they were typed: one that is inside another
/// comes after it.
std::vector<RunPtr> Commands::take_over(const TabPtr& tab) {
  FileLock lock = tab->closed || tab->command_lock ? FileLock() : try_lock_or_inherit(tab->files.lock_path());
  const bool has_tab = tab->closed || tab->command_lock || lock;
  std::vector<RunPtr> taken;
  for (Unfinished& one : unfinished_commands(*tab, has_tab)) {
    taken.push_back(std::make_shared<CommandRun>(context_, tab, std::move(one.record), std::move(one.owner)));
  }
  if (taken.empty()) {
    return taken;
  }
  if (lock) {
    tab->command_lock = std::move(lock);
  }
  tab->runs.insert(tab->runs.end(), taken.begin(), taken.end());
  std::ranges::stable_sort(tab->runs, {}, [](const RunPtr& run) {
    return run->may_be_typed() ? run->record().typed_byte : UINT64_MAX;
  });
  return taken;
}

/// A command of this process runs: another may go only to a shell that it has opened. A step of that shell's
/// prompt may have the foreground for a moment. One that is being ended is waited for.
Awaitable<void> Commands::wait_or_refuse_unless_nested(Tab& tab, CallTime time) {
  const auto patience = Clock::now() + shell_times::kNestedStep;
  const auto ending_patience = std::min(Clock::now() + kEnds, time.short_patience());
  while (!tab.runs.empty()) {
    const RunPtr last = tab.runs.back();
    const bool nested = last->shells().opened(look_at_foreground(tab.pane_pid));
    // It is waited for, too, where it has not begun: then its process may have died before that. A signal of
    // stop_process may end it or not, and does not where it has opened a shell.
    const bool ends = last->is_being_ended() || last->output().end() || !last->has_begun() ||
                      (last->is_interrupted() && !nested);
    if (ends && Clock::now() < ending_patience) {
      co_await last->wait_for_end_by(ending_patience);
      continue;
    }
    if (nested) {
      co_return;
    }
    if (!tab.runs.front()->shells().opened_one() || Clock::now() >= patience) {
      throw busy_with_command(tab, last->record());
    }
    co_await sleep_for(kTypingLook);
  }
}

/// Neither of ours nor of another process: one that waits for a line would take ours for it. One that has
/// just ended is on record within a moment.
Awaitable<void> Commands::wait_or_refuse(Tab& tab, CallTime time) {
  const auto patience = std::min(Clock::now() + shell_times::kNestedStep, time.short_patience());
  for (;;) {
    co_await wait_or_refuse_unless_nested(tab, time);
    const auto other = others_command_in_front(tab);
    if (!other) {
      co_return;
    }
    if (Clock::now() >= patience) {
      throw busy_with_command(tab, *other);
    }
    co_await sleep_for(kTypingLook);
  }
}

Awaitable<FileLock> Commands::turn_to_type(TabPtr tab, CallTime time) {
  FileLock turn;
  const auto own_shell = [&tab] {
    return tab->runs.empty() && look_at_foreground(tab->pane_pid).kind == Foreground::Kind::shell;
  };
  while (!own_shell()) {
    try {
      turn = FileLock::try_lock(tab->files.typing_lock_path());
    } catch (const Error&) {
      co_return FileLock();  // no file can be made there: commands run all the same
    }
    // An earlier call of this process has it as long as its command has not begun: that is told below.
    const bool ours = !tab->runs.empty() && !tab->runs.back()->has_begun();
    if (turn || (ours && Clock::now() >= time.short_patience())) {
      break;
    }
    if (Clock::now() >= time.short_patience()) {
      throw Error(ErrorCode::busy,
                  "another terminally-mcp process is typing a command into the shell of tab " +
                      to_string(tab->window) + " just now; nothing was run. Try again, or in another tab");
    }
    co_await sleep_for(kTypingLook);
  }
  co_return turn;
}

/// In the common case, an idle tab, this costs a lock, a look at two files and two listings of the runtime
/// directory.
Awaitable<void> Commands::take_tab_or_refuse(TabPtr tab, CallTime time, FileLock reserved) {
  refuse_if_held(*tab);
  look_after(tab);
  co_await wait_or_refuse(*tab, time);
  if (!tab->runs.empty()) {
    co_return;
  }
  FileLock lock = reserved ? std::move(reserved) : try_lock_or_inherit(tab->files.lock_path());
  const auto nonce = tab->files.running_nonce();
  const auto record = nonce ? tab->records.find(command_id_of(*nonce)) : std::nullopt;
  const bool replaced = record && is_replaced(record->shell_pid, record->shell_image);
  if (!lock && !nonce && Clock::now() < time.short_patience()) {
    co_await sleep_for(kTypingLook);  // who has it has just ended a command, or only looks for one
    co_return co_await take_tab_or_refuse(std::move(tab), time);
  }
  if ((nonce || !lock) && !replaced && !is_nested(look_at_foreground(tab->pane_pid))) {
    if (!nonce) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab->window) +
                                       " is busy with a command that another terminally-mcp process has just "
                                       "begun or ended there; nothing was run. Try again, or in another tab");
    }
    CommandRecord running = record.value_or(CommandRecord());
    running.id = command_id_of(*nonce);
    throw busy_with_command(*tab, running);
  }
  tab->command_lock = std::move(lock);
}

}  // namespace terminally
