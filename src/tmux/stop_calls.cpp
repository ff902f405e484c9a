// Ends commands from outside: by one signal, or by a cancel that escalates.

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>

#include "base/conventions.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "command/busy.hpp"
#include "command/nested_shell.hpp"
#include "command/prompt.hpp"
#include "system/terminal.hpp"
#include "tab/escalation.hpp"
#include "tab/shell_gateway.hpp"
#include "tab/tab_processes.hpp"
#include "tab/tab_turns.hpp"
#include "tab/terminal_signals.hpp"
#include "tmux/command_results.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tab_chooser.hpp"
#include "tmux/tabs/tabs.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kStopWithin{2'000};
/// How long after SIGKILL the prompt may take to come: a call returns within 6 s.
constexpr Milliseconds kKilledWithin{900};
constexpr Milliseconds kTooEarly{200};
/// How long the command of a call that came before may take to be typed; after that, the tab has no prompt.
constexpr Milliseconds kBeforeTyped{5'000};
constexpr Milliseconds kTypedLook{10};
constexpr Milliseconds kLookElsewhere{50};
/// Of a tab's processes, how many are looked at to be named.
constexpr std::size_t kMostLookedAt = 1'000;
constexpr const char* kNothingRan = "nothing was running; this is the last result";

/// What has the foreground between our last command, or the start of the shell, and the prompt is a step of
/// the prompt (git, starship) or of the start-up files, nobody's program. Waits for the prompt as long as it
/// may be that.
asio::awaitable<void> let_prompt_come(const Tab& tab) {
  const auto comes = [&tab] { return !is_at_prompt(tab) && !nested_shell_waits(tab); };
  while (tab.shell.is_on_its_way(Clock::now()) && tab.runs.empty() && comes()) {
    co_await sleep_for(Milliseconds(5));
  }
}

/// Or it will in a moment, behind the steps of its prompt.
bool will_take_command(const Tab& tab) {
  return takes_next_command(tab) || nested_shell_waits(tab) ||
         (tab.runs.empty() && tab.shell.is_on_its_way(Clock::now()));
}

/// Whether the nested shell in front has nothing to do. Where it cannot be seen, what was sent there since
/// may have begun something.
bool is_idle_inside(const Tab& tab) {
  return nested_shell_waits(tab) ||
         (takes_next_command(tab) && tab.shell.last_input() <= tab.shell.last_end());
}

std::string how_to_leave(const Tab& tab) {
  std::string how = nested_shell_waits(tab)
                        ? "a shell inside the tab's own is at its prompt, and goes on: `exit` leaves it"
                        : "what led to another shell was left alone, and whether others typed there is not "
                          "seen: `exit` leaves it";
  if (!tab.runs.empty()) {
    const std::string& id = tab.runs.back()->record().id;
    how += ", " + next_call("cancel_command", tab.window, R"("command_id": ")" + id + "\"") + " ends it";
  }
  return how;
}

std::vector<Survivor> foreground_processes(ProcessId pane) {
  const Foreground foreground = look_at_foreground(pane);
  std::vector<Survivor> survivors;
  for (const ProcessInfo& process : process_tree(foreground.shell_pid, kMostLookedAt)) {
    if (process.group == foreground.group && process.pid != foreground.shell_pid && process.state != 'Z') {
      survivors.push_back(survivor(process, kNotEnded));
    }
  }
  return survivors;
}

/// Another process of ours that does nothing that it is asked for (C-z, SIGSTOP); 0: it goes on, or is gone.
int stopped_keeper(const Tab& tab, const CommandRecord& record) {
  const int keeper =
      lock_holder(record.owned_apart ? tab.files.owner_path(record.id) : tab.files.lock_path());
  return is_stopped(keeper) ? keeper : 0;
}

/// On record like a command of ours, but for its start, which nobody saw.
void record_foreign(Tab& tab, const CommandResult& result) {
  CommandRecord record;
  record.id = random_hex(4);
  record.command = result.command;
  record.who = "a person";
  record.state = result.state;
  record.reason = result.reason;
  record.typed_byte = record.start_byte = result.start_byte;
  record.end_byte = tab.log.counted_end();
  record.started_at_ms = result.started_at_ms;
  record.duration_ms = result.duration_ms;
  record.cwd = result.cwd;
  tab.records.append(record);
}

/// A call that came before may have the tab, and wait for a prompt of the shell in front: its command is what
/// is meant to end. A C-c now would hit the start-up files, or end that shell before it.
Awaitable<void> calls_before_typed(const StopCalls::Parts& parts, TabPtr tab) {
  const auto give_up_at = Clock::now() + kBeforeTyped;
  const auto called = [&] {
    return parts.turns.called(tab->window) ||
           (parts.chooser.is_main(*tab) && parts.turns.called(std::nullopt)) ||
           (!tab->files.running_nonce() && parts.turns.taken_elsewhere(*tab));
  };
  while (called() && will_take_command(*tab) && Clock::now() < give_up_at) {
    co_await sleep_for(kTypedLook);
  }
}

bool has_no_terminal(const Foreground& shell) {
  return shell.terminal_is_taken && shell.pid == shell.shell_pid;
}

/// Where the tab's shell has lost its terminal, and nobody has that any more: the next shell has it again.
void end_shell_without_terminal(const Tab& tab, std::vector<std::string>& notes) {
  const Foreground now = look_at_foreground(tab.pane_pid);
  const auto shell = has_no_terminal(now) ? process_info(now.pid) : std::nullopt;
  if (shell && signal_process(shell->id(), SIGKILL)) {
    note_once(notes,
              "the program had taken the terminal from the tab's shell (as `setsid -c` does): a new "
              "shell was started (variables, functions and options of the old one are gone)");
  }
}

/// A shell that took the terminal is deaf to SIGTERM.
int signal_for(const Foreground& now, Pressure pressure) {
  return pressure == Pressure::kill ? SIGKILL : now.terminal_is_taken ? SIGHUP : SIGTERM;
}

/// What a person started in the tab, ended like a command of ours. A shell that does not come back is theirs
/// and left alone. nullopt: a command of ours came to run meanwhile.
Awaitable<std::optional<CommandResult>> cancel_foreground(const StopCalls::Parts& parts, TabPtr tab,
                                                          bool force, CallTime time) {
  const Foreground first = look_at_foreground(tab->pane_pid);
  CommandResult result;
  result.window_id = tab->window;
  result.command = describe_process(first.pid);
  result.cwd = process_cwd(first.pid);
  result.start_byte = result.end_byte = tab->log.counted_end();
  result.started_at_ms = wall_clock_ms();
  print_in_terminal(tab->tty, std::string("\r\n") + cancelled_text(tab->canceller) + "\r\n");
  const auto begin = Clock::now();
  Escalation escalation(kEndCommand, force, begin);
  if (!force) {
    const auto terminal = parts.context.terminal_of(*tab);
    co_await press_interrupt_key(*tab, *terminal, parts.context.processes, 0);
  }
  const auto give_up_at = std::min(begin + kEndCommand.kill_after + kKilledWithin, time.returns_by());
  while (!is_at_prompt(*tab) && tab->runs.empty() && Clock::now() < give_up_at) {
    escalation.look(Clock::now());
    end_shell_without_terminal(*tab, result.notes);
    const Foreground now = look_at_foreground(tab->pane_pid);
    const Pressure pressure = escalation.pressure();
    if (!has_no_terminal(now) && now.group > 0 && now.kind != Foreground::Kind::shell &&
        now.kind != Foreground::Kind::nothing && !is_starting(now, tab->pane_pid) &&
        pressure != Pressure::ask && escalation.is_due(now.group)) {
      signal_foreground(tab->pane_pid, now.group, signal_for(now, pressure));
    }
    co_await sleep_for(Milliseconds(20));
  }
  if (!tab->runs.empty()) {
    co_return std::nullopt;
  }
  leave_full_screen(tab->tty);
  const bool ended = is_at_prompt(*tab);
  result.state = ended ? CommandState::cancelled : CommandState::running;
  result.reason = tab->for_person ? Reason::cancelled_by_person : Reason::cancelled_by_client;
  result.duration_ms = static_cast<std::uint64_t>((Clock::now() - begin) / Milliseconds(1));
  if (ended) {
    record_foreign(*tab, result);
  }
  result.notes.push_back("a person had started it: \"" + result.command + "\"; its exit code is not known");
  if (!ended) {
    result.survivors = foreground_processes(tab->pane_pid);
  }
  co_return result;
}

/// Another process looks after it (a person's `exec`): that is asked to end it, by a file.
Awaitable<CommandResult> cancel_elsewhere(const StopCalls::Parts& parts, TabPtr tab, QueryCommand query,
                                          bool force, CallTime time) {
  const auto record_now = [&tab, &query] { return tab->records.find(query.command_id); };
  auto record = record_now();
  if (record) {
    tab->files.mark_cancelled(record->nonce, force, tab->canceller);
  }
  int stopped = 0;
  while (record && record->state == CommandState::running && stopped == 0 &&
         Clock::now() < time.returns_by()) {
    co_await sleep_for(kLookElsewhere);
    parts.commands.look_after(tab);  // that process may have died since
    record = record_now();
    stopped = record ? stopped_keeper(*tab, *record) : 0;
  }
  CommandResult cancelled = co_await parts.calls.state_within(time, query);
  if (cancelled.state == CommandState::running) {
    cancelled.notes.push_back(
        "another terminally-mcp process looks after it (" + (record ? record->who : std::string()) +
        "), was asked to end it and has not done so yet" +
        (stopped != 0 ? ": it is stopped, `kill -CONT " + std::to_string(stopped) + "` lets it go on" : "") +
        "; stop_process sends a signal from here");
    cancelled.survivors = foreground_processes(tab->pane_pid);
  }
  co_return cancelled;
}

/// A signal would be lost there, or end the shell.
StoppedProcess nothing_to_stop(const Tab& tab) {
  StoppedProcess stopped;
  stopped.success = true;
  stopped.notes = {"nothing was running in tab " + to_string(tab.window) + "; no signal was sent",
                   how_to_leave(tab)};
  const auto latest = begun_inside(tab);
  stopped.state = latest ? latest->state : CommandState::running;
  stopped.exit_code = latest ? latest->exit_code : std::nullopt;
  return stopped;
}

Awaitable<StoppedProcess> signal_process_of(const StopCalls::Parts& parts, WindowId window,
                                            StopSignal signal) {
  const TabPtr tab = co_await parts.tabs.find_open(window);
  co_await calls_before_typed(parts, tab);
  parts.commands.look_after(tab);
  StoppedProcess stopped;
  co_await let_prompt_come(*tab);
  if (nested_shell_waits(*tab)) {
    co_return nothing_to_stop(*tab);
  }
  const auto deadline = Clock::now() + kStopWithin;
  if (tab->runs.empty()) {
    // Nothing of ours: something that a person, or another process of ours, started.
    const auto is_idle = [&tab]() {
      return look_at_foreground(tab->pane_pid).kind == Foreground::Kind::shell && !tab->files.running_nonce();
    };
    if (is_idle()) {
      stopped.notes.push_back("nothing was running in tab " + to_string(window) + "; no signal was sent");
    } else {
      if (const auto nonce = tab->files.running_nonce()) {
        tab->files.mark_signalled(*nonce);
      }
      co_await let_program_start(*tab);
      const auto terminal = parts.context.terminal_of(*tab);
      co_await signal_foreground_once(*tab, *terminal, signal, parts.context.processes, 0);
    }
    while (!is_idle() && Clock::now() < deadline) {
      co_await sleep_for(Milliseconds(20));
      parts.commands.look_after(tab);
    }
    const auto latest = tab->records.latest();
    stopped.success = is_idle();
    stopped.survivors = stopped.success ? std::vector<Survivor>() : foreground_processes(tab->pane_pid);
    stopped.state =
        stopped.success ? (latest ? latest->state : CommandState::completed) : CommandState::running;
    stopped.exit_code = latest && stopped.success ? latest->exit_code : std::nullopt;
    co_return stopped;
  }
  const RunPtr run = tab->runs.back();
  co_await run->signal_once(signal);
  // On a busy machine the program may take its time to come. Once more, not more often: it may be one of
  // many.
  for (bool again = true; !stopped.success && Clock::now() < deadline;) {
    stopped.success = co_await run->wait_for_end_by(std::min(deadline, Clock::now() + kTooEarly));
    if (!stopped.success && again && run->signal_came_too_early()) {
      again = false;
      co_await run->signal_once(signal);
    }
  }
  note_told(*tab, run->record());
  stopped.state = run->record().state;
  stopped.exit_code = run->record().exit_code;
  stopped.survivors = stopped.success ? run->record().survivors : foreground_processes(tab->pane_pid);
  co_return stopped;
}

/// What was begun last ends first: in a nested shell that the command opened, what runs there.
Awaitable<void> end_in_turn(TabPtr tab, RunPtr run, bool force, CallTime time) {
  bool in_time = true;
  while (in_time && !run->has_ended()) {
    const RunPtr last = tab->runs.empty() || tab->runs.back()->has_ended() ? run : tab->runs.back();
    last->request_end(Reason::cancelled_by_client, force);
    in_time = co_await last->wait_for_end_by(time.returns_by());
  }
}

Awaitable<CommandResult> result_of_ended(const StopCalls::Parts& parts, TabPtr tab, RunPtr run,
                                         QueryCommand query, CallTime time) {
  ShowOutput how{std::move(query.view), query.max_output_bytes, time.returns_by()};
  CommandResult cancelled = co_await parts.results.of(tab, run, std::move(how));
  if (!run->has_ended()) {
    cancelled.notes.emplace_back("it is still being ended; get_command_state shows how it ended");
  }
  end_shell_without_terminal(*tab, cancelled.notes);
  co_return cancelled;
}

/// One that has ended since is told as it ended: nothing else is meant.
Awaitable<CommandResult> cancel_by_id(const StopCalls::Parts& parts, QueryCommand query, bool force,
                                      CallTime time) {
  const TabPtr tab = co_await parts.tabs.find_open(query.window_id);
  parts.commands.look_after(tab);
  const auto found = std::ranges::find_if(
      tab->runs, [&query](const RunPtr& run) { return run->record().id == query.command_id; });
  if (found == tab->runs.end()) {
    CommandResult known = co_await parts.calls.state_within(time, query);
    if (known.state == CommandState::running) {
      co_return co_await cancel_elsewhere(parts, tab, std::move(query), force, time);
    }
    known.notes.emplace_back("it had ended before; nothing was cancelled");
    co_return known;
  }
  const RunPtr run = *found;  // NOLINT(performance-unnecessary-copy-initialization): it leaves the list
  co_await end_in_turn(tab, run, force, time);
  co_return co_await result_of_ended(parts, tab, run, std::move(query), time);
}

/// The command that was begun last in a nested shell: that shell is not meant. nullopt: it is no question of
/// that.
Awaitable<std::optional<CommandResult>> cancel_inside(const StopCalls::Parts& parts, TabPtr tab,
                                                      QueryCommand query, bool force, CallTime time) {
  const auto inside = begun_inside(*tab);
  const bool runs_elsewhere = inside && inside->state == CommandState::running;
  if (!inside || (runs_elsewhere ? nested_shell_waits(*tab) : !is_idle_inside(*tab))) {
    co_return std::nullopt;
  }
  query.command_id = inside->id;
  if (runs_elsewhere) {
    CommandResult cancelled = co_await cancel_by_id(parts, std::move(query), force, time);
    co_return cancelled;
  }
  CommandResult last = co_await parts.calls.state_within(time, std::move(query));
  last.notes.emplace_back(kNothingRan);
  last.notes.push_back(how_to_leave(*tab));
  co_return last;
}

Awaitable<CommandResult> cancel_in_tab(const StopCalls::Parts& parts, QueryCommand query, bool force) {
  const CallTime time = parts.times.call_time();
  if (!query.command_id.empty()) {
    co_return co_await cancel_by_id(parts, std::move(query), force, time);
  }
  const TabPtr tab = co_await parts.tabs.find_open(query.window_id);
  CommandResult cancelled;
  co_await calls_before_typed(parts, tab);
  parts.commands.look_after(tab);
  co_await let_prompt_come(*tab);
  std::optional<CommandResult> inside = co_await cancel_inside(parts, tab, query, force, time);
  if (inside) {
    co_return std::move(*inside);
  }
  if (tab->runs.empty() && !tab->files.running_nonce() && !is_at_prompt(*tab) &&
      !is_starting(look_at_foreground(tab->pane_pid), tab->pane_pid)) {
    std::optional<CommandResult> foreign = co_await cancel_foreground(parts, tab, force, time);
    if (foreign) {
      co_return std::move(*foreign);
    }
  }
  if (tab->runs.empty()) {
    cancelled = co_await parts.calls.state_within(time, query);
    if (cancelled.state != CommandState::running) {
      cancelled.notes.emplace_back(kNothingRan);
      co_return cancelled;
    }
    if (tab->runs.empty()) {
      query.command_id = cancelled.command_id;
      co_return co_await cancel_elsewhere(parts, tab, query, force, time);
    }
  }
  const RunPtr run = tab->runs.back();
  run->request_end(Reason::cancelled_by_client, force);
  co_await run->wait_for_end_by(time.returns_by());
  co_return co_await result_of_ended(parts, tab, run, std::move(query), time);
}

}  // namespace

Awaitable<StoppedProcess> StopCalls::stop_process(WindowId tab, StopSignal signal) {
  return parts_.times.within_call_time(signal_process_of(parts_, tab, signal));
}

Awaitable<CommandResult> StopCalls::cancel_command(QueryCommand command, bool force) {
  return parts_.times.within_call_time(cancel_in_tab(parts_, std::move(command), force));
}

Awaitable<void> StopCalls::end_command(WindowId window, std::string command_id) {
  QueryCommand query;
  query.window_id = window;
  query.command_id = std::move(command_id);
  query.max_output_bytes = 0;
  static_cast<void>(co_await cancel_by_id(parts_, std::move(query), false, parts_.times.call_time()));
}

}  // namespace terminally
