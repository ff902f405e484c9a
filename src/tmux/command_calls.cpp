// Begins commands in tabs, one at a time in each, waits for them, and tells what is known of them.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "command/awaiting_input.hpp"
#include "command/busy.hpp"
#include "log/unfinished_line.hpp"
#include "text/typed_text.hpp"
#include "tmux/command_results.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/tab_keyboard.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tab_chooser.hpp"
#include "tmux/tabs/tabs.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::uint64_t kForeverMs = 10ULL * 365 * 24 * 3'600 * 1'000;
/// How often we look whether a command opened a shell that the next command could go to, or waits for the
/// keyboard: two looks decide.
constexpr Milliseconds kLook{80};
/// The same where nothing has happened for a while.
constexpr Milliseconds kQuietLook{1'000};
/// Whether a command is interrupted at its time-out is decided by then.
constexpr Milliseconds kJudged{20};
/// A call that says "it waits for the keyboard" and interrupts the command sooner than this would help
/// nobody.
constexpr Milliseconds kTimeToAnswer{2'000};
/// How often a command of another process is looked at: each look reads the log from its start.
constexpr Milliseconds kBetweenGlances{500};

constexpr std::string_view kNoTimeout = "its timeout_ms holds no longer, ";
constexpr std::string_view kGoesOn = "get_command_state has its result, cancel_command ends it";

void check_command(const std::string& command) {
  if (command.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "command: has a NUL byte, which no shell can take");
  }
  if (command.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "command: must not be empty");
  }
}

/// What to do about a command that was interrupted at its time-out.
std::string after_timeout(const Tab& tab, std::uint64_t timeout_ms, bool was_waiting, bool longest) {
  if (was_waiting) {
    return "it was waiting for the keyboard; with more timeout_ms the call returns when it does, and "
           "send_text answers it";
  }
  if (longest) {
    return "interrupted after " + std::to_string(timeout_ms) +
           " ms: no command may run longer here (the server's --max-duration-ms)";
  }
  return "interrupted after timeout_ms, " + std::to_string(timeout_ms) +
         ": to give it longer, call again with more, or with on_timeout: \"background\" and then " +
         next_call("wait_for", tab.window, R"("until": "exit")") + "; a server belongs in start_process";
}

std::string why_it_runs_on(const CommandRun& run, WindowId window) {
  if (!run.has_begun()) {
    return "its line was typed and no sign of its start has come yet (a slow link, or a log or tmux that "
           "stands still): it may run, or run later; do not send it again before get_command_state says how "
           "it "
           "ended";
  }
  return run.is_interrupted()
             ? "its timeout_ms is over and it is being ended; get_command_state shows how it ended"
             : std::string(kStillRunning) + next_call("wait_for", window, R"("until": "exit")") +
                   " waits for it, get_command_state shows what comes, cancel_command ends it";
}

/// How long a call waits for its command, and what for.
struct WaitInCall {
  Clock::time_point until;
  Clock::time_point unanswered_until;  ///< for one that may not have begun
  bool interrupts = false;             ///< then, unless it is spared
  Clock::time_point answerable_until;  ///< later, there is no time to answer
  bool return_at_input = true;
  std::function<void(const AwaitingInput&)> on_awaiting = nullptr;
  std::shared_ptr<TextGuard> guard = nullptr;
};

/// What was seen by then.
struct Meanwhile {
  bool nested_shell_ready = false;
  std::optional<AwaitingInput> awaiting;
  bool was_waiting = false;  ///< for the keyboard, at the last look
};

/// Until the command has ended, the call's time is over, or somebody has to answer.
Awaitable<Meanwhile> wait_in_call(TabPtr tab, RunPtr run, WaitInCall wait) {
  Meanwhile meanwhile;
  SettledInput input;
  bool told = false;
  PaneLog::Stamp log = tab->log.stamp();
  auto quiet_since = Clock::now();
  const auto has_time = [&] {
    const bool spared = wait.interrupts && run->record().deadline_steady_ms == 0;
    return Clock::now() < wait.until && !spared && (Clock::now() < wait.unanswered_until || run->has_begun());
  };
  while (!run->has_ended() && has_time() && !meanwhile.nested_shell_ready && !meanwhile.awaiting) {
    const auto now = Clock::now();
    const PaneLog::Stamp log_now = tab->log.stamp();
    const bool printed = std::exchange(log, log_now) != log_now;
    const bool moves = printed || input.seen() || run->shells().one_may_wait() || !run->has_begun();
    quiet_since = moves ? now : quiet_since;
    const auto look = now + pause_after(now - quiet_since, kLook, kQuietLook);
    const auto judged = now < wait.unanswered_until ? wait.unanswered_until + kJudged : wait.until;
    const auto by = std::min(std::min(look, judged), wait.until);
    if (co_await run->wait_for_end_by(by)) {
      break;
    }
    // One that has ended waits for nothing, though its END is not in the log, which takes nothing; nor one
    // whose shell has ended: what waits there is around it.
    const bool over =
        run->is_interrupted() || tab->files.exit_code(run->record().nonce) || run->shells().own_is_gone();
    const auto settled = over ? std::nullopt : input.look(*tab);
    if (over || input.moved() || run->shells().one_may_wait()) {
      meanwhile.nested_shell_ready = run->shells().one_waits();
    }
    if (!run->shells().one_may_wait() && wait.return_at_input && Clock::now() < wait.answerable_until) {
      meanwhile.awaiting = settled;
    } else if (settled && !told && wait.on_awaiting) {
      wait.on_awaiting({settled->kind, unfinished_line(tab->log, tab->cols, wait.guard.get())});
    }
    told = settled.has_value();
  }
  // What has ended is read before the time is judged: this process may have been stopped for a while.
  if (!run->has_ended()) {
    run->output().read();
  }
  if (run->output().end()) {
    co_await run->wait_for_end_by(Clock::now() + CommandRun::kConcludes);
  }
  meanwhile.was_waiting = input.seen().has_value();
  co_return meanwhile;
}

struct Answer {
  Meanwhile meanwhile;
  CommandResult result;
};

Awaitable<Answer> answer_of(const CommandResults& results, TabPtr tab, RunPtr run, WaitInCall wait,
                            ShowOutput how) {
  Answer answer;
  try {
    answer.meanwhile = co_await wait_in_call(tab, run, std::move(wait));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the log cannot be read, and the result says so
  }
  answer.result = co_await results.of(std::move(tab), std::move(run), std::move(how));
  co_return answer;
}

/// One that named a busy tab is told that it could go beside it.
template <typename T>
Awaitable<T> told_of_other_tabs(const CommandCalls::Parts& parts, bool named, Awaitable<T> work) {
  try {
    T answer = co_await std::move(work);
    co_return answer;
  } catch (const BusyTab& busy) {
    if (!named) {
      throw;
    }
    throw or_beside(busy, parts.config.guest);
  }
}

/// How long the command of one call may run, and what becomes of it then.
struct Limits {
  std::uint64_t timeout_ms;  ///< of the call; the command's own where it interrupts
  std::uint64_t longest_ms;  ///< no command runs longer here
  bool interrupts;           ///< else the command goes on
  bool was_set = true;       ///< by whoever asks, or by the server: else the call just comes back
};

Limits limits_of(const ExecuteCommand& request, const Config& config) {
  const OnTimeout usual = request.timeout_ms ? OnTimeout::interrupt : OnTimeout::background;
  const OnTimeout then = request.on_timeout.value_or(config.on_timeout.value_or(usual));
  const std::uint64_t longest_ms = config.max_duration_ms != 0 ? config.max_duration_ms : kForeverMs;
  const std::uint64_t asked_ms = request.timeout_ms.value_or(config.default_timeout_ms);
  const bool is_capped = longest_ms < asked_ms;
  const bool interrupts = then == OnTimeout::interrupt || is_capped;
  return {std::min(asked_ms, longest_ms), longest_ms, interrupts, interrupts || request.timeout_ms};
}

Commands::Begin what_begins(ExecuteCommand& request, Clock::time_point deadline) {
  Commands::Begin what;
  what.command = std::move(request.command);
  what.who = std::move(request.who);
  what.task_key = std::move(request.task_key);
  what.input = std::move(request.input);
  what.deadline = deadline;
  return what;
}

/// `returns_by`: the call's; `deadline`: the command's.
WaitInCall wait_of(ExecuteCommand& request, Clock::time_point returns_by, Clock::time_point deadline,
                   bool interrupts) {
  WaitInCall wait;
  wait.until = interrupts ? returns_by : std::min(returns_by, deadline);
  wait.unanswered_until = deadline;
  wait.interrupts = interrupts;
  wait.answerable_until = interrupts ? deadline - kTimeToAnswer : wait.until;
  wait.return_at_input = request.return_at_input;
  wait.on_awaiting = std::move(request.on_awaiting);
  wait.guard = request.view.guard;
  return wait;
}

Awaitable<CommandResult> run_command(const CommandCalls::Parts& parts, ExecuteCommand request,
                                     OutputReader reader) {
  check_command(request.command);
  const auto [timeout_ms, longest_ms, interrupts, was_set] = limits_of(request, parts.config);
  const std::uint64_t window_ms = request.hand_over ? parts.config.sync_window_ms : kForeverMs;
  const CallTime time(std::min(timeout_ms, window_ms));
  const auto window_end = Clock::now() + Milliseconds(window_ms);
  TabTurns::Call call = parts.turns.call_for(request.window_id);
  WantedPlace wanted{request.window_id, std::move(request.cwd), request.who};
  request.who = parts.chooser.who(request.who);
  ChosenTab place = co_await parts.chooser.choose(std::move(wanted), time);
  const TabPtr& tab = place.tab;
  call.goes_to(tab->window);
  const auto begun = Clock::now();
  const auto last_moment = begun + Milliseconds(longest_ms);
  const auto deadline = begun + Milliseconds(timeout_ms);
  Commands::Begin what = what_begins(request, interrupts ? deadline : last_moment);
  what.spares_unseen = interrupts && !request.on_timeout;
  what.reserved = std::move(place.reserved);
  what.meant_for = std::move(place.meant_for);
  what.cwd = std::move(place.directory);
  const RunPtr run = co_await parts.commands.begin(tab, time, std::move(what));
  call.has_begun();
  if (request.on_begin) {
    request.on_begin(tab->window, run->record().id);
  }
  if (reader) {
    std::shared_ptr<CommandOutput> output(run, &run->output());
    reader(LogFollower(tab->log, std::make_unique<RunOutput>(std::move(output)), 0));
  }

  WaitInCall wait = wait_of(request, std::min(window_end, time.returns_by()), deadline, interrupts);
  ShowOutput how{request.view, request.max_output_bytes, time.last_moment()};
  Answer answer;
  bool aborted = false;  // perhaps before it is waited for
  try {
    answer = co_await answer_of(parts.results, tab, run, std::move(wait), std::move(how));
  } catch (const boost::system::system_error&) {
    aborted = true;
  }
  if (aborted) {
    run->request_end(parts.commands.whose_cancel(), false);
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  auto& [meanwhile, result] = answer;
  if (!place.note.empty()) {
    result.notes.push_back(place.note);
  }
  if (result.state != CommandState::running) {
    if (result.reason == Reason::timeout && !run->was_called_off() &&
        !parts.config.guest) {  // to a person it is plain
      const bool longest = timeout_ms == longest_ms;
      result.notes.push_back(after_timeout(*tab, timeout_ms, meanwhile.was_waiting, longest));
    }
    co_return std::move(result);
  }
  if (meanwhile.nested_shell_ready || meanwhile.awaiting) {
    run->set_deadline(last_moment);  // who answers takes their time
    result.reason = Reason::awaiting_input;
    if (!result.awaiting_input) {
      const auto kind = meanwhile.awaiting ? meanwhile.awaiting->kind : AwaitingInput::Kind::line;
      result.awaiting_input = {kind, unfinished_line(tab->log, tab->cols, request.view.guard.get())};
    }
    const std::string goes_on = std::string("; ").append(was_set ? kNoTimeout : "").append(kGoesOn);
    result.notes.push_back(meanwhile.awaiting ? how_to_answer(*meanwhile.awaiting) + goes_on
                                              : about_another_shell(*tab));
    co_return std::move(result);
  }
  result.timed_out = was_set && Clock::now() >= deadline;
  if (run->has_begun()) {
    result.reason = Reason::handed_over;
    result.notes.push_back(why_it_runs_on(*run, tab->window));
  }
  co_return std::move(result);
}

/// Not entered. The place is kept until the text is there, should the call have answered before.
Awaitable<StartedProcess> put_at_prompt(const CommandCalls::Parts& parts, std::string text, ChosenTab place,
                                        CallTime time, StartedProcess started) {
  const TabPtr& tab = place.tab;
  const FileLock turn = co_await parts.commands.turn_to_type(tab, time);
  co_await parts.commands.take_tab_or_refuse(tab, time, std::move(place.reserved));
  const FileLock lock = tab->runs.empty() ? std::move(tab->command_lock) : FileLock();
  refuse_if_gone(*tab, place.meant_for, look_at_foreground(tab->pane_pid));
  const TabKeyboard keyboard(parts.tabs.client_of(*tab), tab);
  const bool is_read = co_await keyboard.paste_at_prompt(std::move(text), time.short_patience());
  if (!is_read) {
    started.notes.emplace_back(
        "the shell may not have read all of it yet; C-c sent now could leave a part of it: look with "
        "read_screen first");
  }
  started.start_byte = tab->log.end();
  co_return started;
}

Awaitable<StartedProcess> start_command(const CommandCalls::Parts& parts, StartProcess request) {
  check_command(request.command);
  if (!request.append_newline) {
    check_prompt_text(request.command);
  }
  const CallTime time(std::min(request.timeout_ms, parts.config.sync_window_ms));
  TabTurns::Call call = parts.turns.call_for(request.window_id);
  WantedPlace wanted{request.window_id, std::move(request.cwd), request.who};
  request.who = parts.chooser.who(request.who);
  ChosenTab place = co_await parts.chooser.choose(std::move(wanted), time);
  const TabPtr& tab = place.tab;
  call.goes_to(tab->window);
  StartedProcess started;
  started.window_id = tab->window;
  if (!place.note.empty()) {
    started.notes.push_back(place.note);
  }
  if (!request.append_newline) {
    started = co_await parts.times.within(
        time, put_at_prompt(parts, std::move(request.command), std::move(place), time, std::move(started)));
    co_return started;
  }
  Commands::Begin what;
  what.command = std::move(request.command);
  what.who = std::move(request.who);
  what.task_key = std::move(request.task_key);
  what.reserved = std::move(place.reserved);
  what.meant_for = std::move(place.meant_for);
  what.cwd = std::move(place.directory);
  if (parts.config.max_duration_ms != 0) {
    what.deadline = Clock::now() + Milliseconds(parts.config.max_duration_ms);
  }
  const RunPtr run = co_await parts.commands.begin(tab, time, std::move(what));
  const bool known = run->has_ended() || run->has_begun();
  const bool never = run->has_ended() && run->record().reason == Reason::no_shell_answered;
  started.started = known ? std::optional(!never) : std::nullopt;
  started.command_id = run->record().id;
  started.start_byte = run->record().start_byte;
  if (!known) {
    started.notes.push_back(why_it_runs_on(*run, tab->window));
  }
  co_return started;
}

}  // namespace

Awaitable<CommandResult> CommandCalls::execute(ExecuteCommand request, OutputReader reader) {
  const bool named = request.window_id.has_value();
  return told_of_other_tabs(parts_, named, run_command(parts_, std::move(request), std::move(reader)));
}

Awaitable<StartedProcess> CommandCalls::start_process(StartProcess request) {
  const bool named = request.window_id.has_value();
  return told_of_other_tabs(parts_, named, start_command(parts_, std::move(request)));
}

Awaitable<CommandResult> CommandCalls::state_within(CallTime time, QueryCommand request) {
  const TabPtr tab = co_await parts_.tabs.find(request.window_id);
  parts_.commands.look_after(tab);
  while (tab->closed && !tab->runs.empty() && Clock::now() < time.returns_by()) {
    const RunPtr run = tab->runs.back();  // its log is being read to the end
    co_await run_until(time.returns_by(), run->wait_for_end());
  }
  const ShowOutput how{std::move(request.view), request.max_output_bytes, time.returns_by()};
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return co_await parts_.results.of(tab, run, how);
    }
  }
  const CommandRecords records = tab->records.to_be_read_for_sure();
  const auto record = request.command_id.empty() ? records.latest() : records.find(request.command_id);
  if (!record) {
    throw Error(ErrorCode::not_found,
                request.command_id.empty()
                    ? "window_id: no command was run in tab " + to_string(request.window_id) + " yet"
                    : "command_id: there is no command \"" + request.command_id + "\" in tab " +
                          to_string(request.window_id));
  }
  co_return co_await parts_.results.of(tab, *record, how);
}

Awaitable<CommandResult> CommandCalls::state(QueryCommand request) {
  const CallTime time = parts_.times.call_time();
  return parts_.times.within(time, state_within(time, std::move(request)));
}

std::optional<CommandRecord> CommandCalls::on_record(WindowId window, const std::string& command_id) const {
  const auto found = parts_.tabs.known().find(window);
  if (found == parts_.tabs.known().end()) {
    return std::nullopt;
  }
  const Tab& tab = *found->second;
  const auto run =
      std::ranges::find(tab.runs, command_id, [](const RunPtr& one) { return one->record().id; });
  return run != tab.runs.end() ? (*run)->record() : tab.records.find(command_id);
}

/// Looks after the command if nobody does. What another process of ours looks after can only be looked at.
Awaitable<void> CommandCalls::wait_for_end(WindowId window, std::string command_id) {
  QueryCommand query;
  query.window_id = window;
  query.command_id = std::move(command_id);
  query.max_output_bytes = 0;
  const TabPtr tab = co_await parts_.tabs.find(window);
  const auto is_it = [&query](const RunPtr& run) { return run->record().id == query.command_id; };
  for (;;) {
    const CommandResult now = co_await state_within(parts_.times.call_time(), query);
    if (now.state != CommandState::running || notice_if_closed(*tab)) {
      co_return;
    }
    const auto found = std::ranges::find_if(tab->runs, is_it);
    if (found != tab->runs.end()) {
      // A copy: the tab forgets it as it ends.
      const RunPtr run = *found;  // NOLINT(performance-unnecessary-copy-initialization)
      co_await run->wait_for_end();
    } else {
      co_await sleep_for(kBetweenGlances);
    }
  }
}

}  // namespace terminally
