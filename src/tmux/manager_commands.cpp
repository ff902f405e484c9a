// Commands: begun one at a time in a tab, waited for, asked about, ended.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/output.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr const char* kMainTab = "main";
constexpr std::uint64_t kStartPromptMs = 10'000;
constexpr Milliseconds kStopWithin{2'000};
constexpr Milliseconds kTooEarly{200};
constexpr Milliseconds kNestedLook{100};
/// How much of a log is looked through for the end of a command that nobody watched, at once.
constexpr std::size_t kScanBytes = 1 << 20;

/// The first words of a command, for the tab that is made for it.
std::string name_after(const std::string& command) {
  std::string name;
  for (const char c : command.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      break;
    }
    name += c;
  }
  return name.empty() ? "command" : name;
}

void check_command(const std::string& command, bool may_be_empty) {
  if (command.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "command: has a NUL byte, which no shell can take");
  }
  if (!may_be_empty && command.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "command: must not be empty");
  }
}

std::vector<Survivor> foreground_processes(int pane_pid) {
  const Foreground foreground = look_at_foreground(pane_pid);
  std::vector<Survivor> survivors;
  for (const ProcessInfo& process : all_processes()) {
    if (process.group == foreground.group && process.pid != foreground.shell_pid && process.state != 'Z') {
      survivors.push_back(Survivor{process.pid, describe_process(process.pid)});
    }
  }
  return survivors;
}

Error busy_with(const Tab& tab, const CommandRecord& record) {
  return Error(ErrorCode::busy, "tab " + to_string(tab.window) + " is busy with command " + record.id + " (" +
                                    name_after(record.command) +
                                    "); get_command_state shows it, cancel_command ends it");
}

}  // namespace

/// Without a window_id: the tab "main", made on first use; while that is busy, a new tab named after the
/// command.
TmuxManager::Awaitable<TmuxManager::Impl::TabPtr> TmuxManager::Impl::tab_for(
    const ExecuteCommand& request, KeyedMutex<WindowId>::Guard& guard) {
  if (request.window_id) {
    guard = co_await tab_mutex_.lock(*request.window_id);
    co_return co_await open_tab(*request.window_id);
  }
  const auto choosing = co_await server_mutex_.lock(1);
  co_await refresh_tabs();
  TabPtr main;
  for (const auto& [window, tab] : tabs_) {
    if (!tab->closed && tab->name == kMainTab && !main) {
      main = tab;
    }
  }
  const bool free = main && !tab_mutex_.locked(main->window) && main->runs.empty() &&
                    !main->files.running_nonce() &&
                    look_at_foreground(main->pane_pid).kind == Foreground::Kind::shell;
  if (!free) {
    CreateTab create;
    create.name = main ? name_after(request.command) : kMainTab;
    const CreatedTab created = co_await create_tab(std::move(create));
    guard = co_await tab_mutex_.lock(created.window_id);
    co_return co_await open_tab(created.window_id);
  }
  guard = co_await tab_mutex_.lock(main->window);
  co_return main;
}

/// A mark without a record: whoever typed the command died before it began. It is over once the shell waits
/// at its prompt, and must not begin after that. Only for whoever holds the tab's lock.
void TmuxManager::Impl::settle_unrecorded(Tab& tab) {
  const auto nonce = tab.files.running_nonce();
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  if (nonce && !tab.records.find(nonce->substr(0, 8)) && foreground.kind == Foreground::Kind::shell &&
      prompt_state(foreground, tab.tty) == Prompt::ready) {
    tab.files.remove(*nonce);
  }
}

/// A command that another process started, or whose server died: has it ended since?
void TmuxManager::Impl::settle_unattended(Tab& tab) {
  const auto nonce = tab.files.running_nonce();
  auto record = nonce ? tab.records.find(nonce->substr(0, 8)) : std::nullopt;
  if (!record) {
    return;
  }
  MarkerScanner scanner(*nonce, record->typed_byte);
  std::optional<Marker> end;
  for (std::uint64_t at = record->typed_byte; !end;) {
    const PaneLog::Slice slice = tab.log.read(at, kScanBytes);
    scanner.feed(slice.bytes);
    while (const auto marker = scanner.next()) {
      if (marker->kind == Marker::Kind::end) {
        end = marker;
        break;
      }
      record->start_byte = marker->next;
    }
    at = slice.next;
    if (slice.eof || slice.bytes.empty()) {
      break;
    }
  }
  const auto code = tab.files.exit_code(*nonce);
  if (!end && !code) {
    return;
  }
  record->state = CommandState::completed;
  record->reason = end && end->by == Marker::By::shell ? Reason::shell_exited : Reason::none;
  record->exit_code = end ? end->exit_code : *code;
  record->end_byte = end ? end->begin : tab.log.end();
  tab.records.append(*record);
  tab.files.remove(*nonce);
  tab.last_exit = *record->exit_code;
}

/// A command that nobody looks after and that has left its exit code: costs nothing where there is none.
void TmuxManager::Impl::settle_ended(Tab& tab) {
  const auto nonce = tab.runs.empty() ? tab.files.running_nonce() : std::nullopt;
  if (!nonce || !tab.files.exit_code(*nonce)) {
    return;
  }
  if (const FileLock lock = FileLock::try_lock(tab.files.lock_path())) {
    settle_unattended(tab);
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::refuse_if_busy(Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const bool in_nested_shell =
      foreground.kind == Foreground::Kind::nested || foreground.kind == Foreground::Kind::gateway;
  if (!tab.runs.empty() && (!in_nested_shell || tab.runs.back()->typed_into() == foreground.pid)) {
    throw busy_with(tab, tab.runs.back()->record());
  }
  if (!tab.runs.empty()) {
    co_return;
  }
  FileLock lock = FileLock::try_lock(tab.files.lock_path());
  if (lock) {
    settle_unattended(tab);
    settle_unrecorded(tab);
  }
  const auto nonce = tab.files.running_nonce();
  if (nonce && !in_nested_shell) {
    CommandRecord record = tab.records.find(nonce->substr(0, 8)).value_or(CommandRecord());
    record.id = nonce->substr(0, 8);
    throw busy_with(tab, record);
  }
  if (!lock && !in_nested_shell) {
    throw Error(ErrorCode::busy, "tab " + to_string(tab.window) +
                                     " is busy with a command of another terminally-mcp process; try again "
                                     "when it is done");
  }
  tab.command_lock = std::move(lock);
}

TmuxManager::Awaitable<TmuxManager::Impl::RunPtr> TmuxManager::Impl::begin(TabPtr tab, std::string command,
                                                                           std::uint64_t prompt_ms,
                                                                           OutputCallback on_output) {
  co_await refuse_if_busy(*tab);
  const auto run = std::make_shared<CommandRun>(run_context_, tab, std::move(command), std::move(on_output));
  tab->runs.push_back(run);
  // Started in a coroutine of its own: a client that cancels in between must not leave a typed command that
  // nobody looks after.
  const auto start = std::make_shared<Start>();
  asio::co_spawn(executor_, run->start(Clock::now() + Milliseconds(prompt_ms)),
                 [run, start](std::exception_ptr failure) {
                   start->failure = std::move(failure);
                   if (start->failure) {
                     run->abandon();
                   }
                   start->over.set();
                 });
  bool aborted = false;
  try {
    co_await start->over.wait();
  } catch (const boost::system::system_error&) {
    aborted = true;
  }
  if (aborted) {
    asio::co_spawn(executor_, end_once_started(run, start), asio::detached);
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (start->failure) {
    std::rethrow_exception(start->failure);
  }
  co_return run;
}

TmuxManager::Awaitable<void> TmuxManager::Impl::end_once_started(RunPtr run, std::shared_ptr<Start> start) {
  co_await start->over.wait();
  if (!start->failure) {
    run->interrupt(Reason::cancelled_by_client, false);
    follow(run);
  }
}

void TmuxManager::Impl::follow(const RunPtr& run) {
  if (!run->has_ended()) {
    asio::co_spawn(executor_, run->follow(), [run](const std::exception_ptr& failure) {
      if (failure) {
        run->give_up(Reason::none);
      }
    });
  }
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::execute(ExecuteCommand request,
                                                                 OutputCallback on_output) {
  const auto arrived = Clock::now();
  check_command(request.command, false);
  KeyedMutex<WindowId>::Guard guard;
  const TabPtr tab = co_await tab_for(request, guard);
  const auto window_end = arrived + Milliseconds(config_.sync_window_ms);
  if (Clock::now() >= window_end) {
    throw Error(ErrorCode::busy,
                "tab " + to_string(tab->window) +
                    " was busy for the whole call; nothing was run. Try again, or in another tab");
  }
  std::uint64_t timeout_ms = request.timeout_ms;
  if (config_.max_duration_ms != 0) {
    timeout_ms = std::min(timeout_ms, config_.max_duration_ms);
  }
  const auto begun = Clock::now();
  const RunPtr run = co_await begin(tab, std::move(request.command),
                                    std::max<std::uint64_t>(timeout_ms, 1'000), std::move(on_output));
  const auto deadline = begun + Milliseconds(timeout_ms);
  if (request.on_timeout == OnTimeout::interrupt) {
    run->set_deadline(deadline);
  } else if (config_.max_duration_ms != 0) {
    run->set_deadline(begun + Milliseconds(config_.max_duration_ms));
  }
  follow(run);

  // Waits in steps only where a command may open a shell that the next command could go to.
  const auto until =
      request.on_timeout == OnTimeout::background ? std::min(deadline, window_end) : window_end;
  bool nested_shell_ready = false;
  bool aborted = false;
  try {
    auto look = Clock::now() + kNestedLook;
    while (!run->has_ended() && Clock::now() < until && !nested_shell_ready) {
      if (co_await finish_by(std::min(look, until), run->wait_for_end())) {
        break;
      }
      look = Clock::now() + kNestedLook;
      nested_shell_ready = run->waits_in_nested_shell();
    }
  } catch (const boost::system::system_error&) {
    aborted = true;
  }
  if (aborted) {
    run->interrupt(Reason::cancelled_by_client, false);
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  CommandResult result = result_of(*tab, *run, request.view, request.max_output_bytes);
  if (result.state == CommandState::running) {
    result.reason = nested_shell_ready ? Reason::awaiting_input : Reason::handed_over;
    result.timed_out = !nested_shell_ready && Clock::now() >= deadline;
    result.notes.push_back(nested_shell_ready
                               ? "another shell now waits in this tab: the next execute_command with this "
                                 "window_id runs in it, and "
                                 "`exit` leaves it"
                               : "still running; get_command_state shows what comes, cancel_command ends it");
  }
  co_return result;
}

TmuxManager::Awaitable<StartedProcess> TmuxManager::Impl::start_process(StartProcess request) {
  check_command(request.command, false);
  const auto guard = co_await tab_mutex_.lock(request.window_id);
  const TabPtr tab = co_await open_tab(request.window_id);
  StartedProcess started;
  if (!request.append_newline) {
    co_await refuse_if_busy(*tab);
    const FileLock lock = std::move(tab->command_lock);
    co_await paste(*tab, request.command);
    started.start_byte = tab->log.end();
    co_return started;
  }
  const RunPtr run = co_await begin(tab, std::move(request.command), kStartPromptMs, {});
  if (config_.max_duration_ms != 0) {
    run->set_deadline(Clock::now() + Milliseconds(config_.max_duration_ms));
  }
  follow(run);
  started.started = run->record().reason != Reason::no_shell_answered;
  started.command_id = run->record().id;
  started.start_byte = run->record().start_byte;
  co_return started;
}

/// Puts the text on the prompt's line and does not submit it.
TmuxManager::Awaitable<void> TmuxManager::Impl::paste(Tab& tab, const std::string& text) {
  const auto file = tab.files.directory() / ("paste-" + std::to_string(tab.pane.number));
  write_file(file, text);
  const std::string buffer = quote("terminally-" + std::to_string(tab.pane.number));
  const std::string pane = quote(to_string(tab.pane));
  std::optional<Error> failure;
  try {
    co_await client_.change("copy-mode -q -t " + pane + " ; load-buffer -b " + buffer + " " +
                            quote(file.string()) + " ; paste-buffer -p -r -d -b " + buffer + " -t " + pane);
  } catch (const Error& error) {
    failure = error;
  }
  remove_file(file);
  if (failure) {
    throw *failure;
  }
}

TmuxManager::Awaitable<StoppedProcess> TmuxManager::Impl::stop_process(WindowId window, StopSignal signal) {
  const TabPtr tab = co_await open_tab(window);
  settle_unattended(*tab);
  StoppedProcess stopped;
  const auto deadline = Clock::now() + kStopWithin;
  if (tab->runs.empty()) {
    // Nothing of ours: something that a person, or another process of ours, started.
    const auto run = std::make_shared<CommandRun>(run_context_, tab, "", OutputCallback());
    const auto is_idle = [&tab]() {
      return look_at_foreground(tab->pane_pid).kind == Foreground::Kind::shell && !tab->files.running_nonce();
    };
    if (!is_idle()) {
      co_await run->signal_once(signal);
    }
    while (!is_idle() && Clock::now() < deadline) {
      co_await sleep_for(Milliseconds(20));
      settle_unattended(*tab);
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
  stopped.success = co_await finish_by(Clock::now() + kTooEarly, run->wait_for_end());
  if (!stopped.success && run->signal_came_too_early()) {
    co_await run->signal_once(signal);
  }
  stopped.success = co_await finish_by(deadline, run->wait_for_end());
  stopped.state = run->record().state;
  stopped.exit_code = run->record().exit_code;
  stopped.survivors = stopped.success ? run->survivors() : foreground_processes(tab->pane_pid);
  co_return stopped;
}

TmuxManager::Awaitable<CommandResult> TmuxManager::Impl::command_state(QueryCommand request) {
  const TabPtr tab = co_await find_tab(request.window_id);
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return result_of(*tab, *run, request.view, request.max_output_bytes);
    }
  }
  settle_unattended(*tab);
  const auto record =
      request.command_id.empty() ? tab->records.latest() : tab->records.find(request.command_id);
  if (!record) {
    throw Error(ErrorCode::not_found,
                request.command_id.empty()
                    ? "window_id: no command was run in tab " + to_string(request.window_id) + " yet"
                    : "command_id: there is no command \"" + request.command_id + "\" in tab " +
                          to_string(request.window_id));
  }
  co_return result_of(*tab, *record, request.view, request.max_output_bytes);
}

TmuxManager::Awaitable<void> TmuxManager::Impl::adopt(TabPtr tab) {
  const auto record = tab->records.latest();
  FileLock lock = FileLock::try_lock(tab->files.lock_path());
  if (!record || !lock) {
    throw Error(ErrorCode::busy, "tab " + to_string(tab->window) +
                                     " runs a command that another terminally-mcp process looks after; "
                                     "cancel it there, or use stop_process");
  }
  tab->command_lock = std::move(lock);
  const auto run = std::make_shared<CommandRun>(run_context_, tab, *record);
  tab->runs.push_back(run);
  follow(run);
  co_return;
}

TmuxManager::Awaitable<CancelledCommand> TmuxManager::Impl::cancel_command(WindowId window, bool force) {
  const TabPtr tab = co_await open_tab(window);
  CancelledCommand cancelled;
  if (tab->runs.empty()) {
    QueryCommand query;
    query.window_id = window;
    cancelled.result = co_await command_state(query);
    if (cancelled.result.state != CommandState::running) {
      cancelled.result.notes.emplace_back("nothing of ours was running; this is the last result");
      co_return cancelled;
    }
    co_await adopt(tab);
  }
  const RunPtr run = tab->runs.back();
  run->interrupt(Reason::cancelled_by_client, force);
  co_await run->wait_for_end();
  cancelled.result = result_of(*tab, *run, TextView(), 32'768);
  cancelled.survivors = run->survivors();
  co_return cancelled;
}

CommandResult TmuxManager::Impl::result_of(const Tab& tab, CommandRun& run, TextView view,
                                           std::uint64_t max_output_bytes) const {
  if (!run.has_ended()) {
    run.look();
  }
  CommandRecord record = run.record();
  if (!run.has_ended()) {
    record.end_byte = run.output_end();
    record.duration_ms =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, wall_clock_ms() - record.started_at_ms));
  }
  CommandResult result = result_of(tab, record, view, max_output_bytes);
  result.notes.insert(result.notes.begin(), run.notes().begin(), run.notes().end());
  return result;
}

CommandResult TmuxManager::Impl::result_of(const Tab& tab, const CommandRecord& record, TextView view,
                                           std::uint64_t max_output_bytes) const {
  CommandResult result;
  result.command_id = record.id;
  result.window_id = tab.window;
  result.command = record.command;
  result.state = record.state;
  result.reason = record.reason;
  result.exit_code = record.exit_code;
  result.timed_out = record.timed_out;
  result.start_byte = record.start_byte;
  result.end_byte =
      record.state == CommandState::running ? std::max(record.end_byte, record.start_byte) : record.end_byte;
  result.output_bytes = result.end_byte - result.start_byte;
  result.started_at_ms = record.started_at_ms;
  result.duration_ms = record.duration_ms;
  result.cwd = record.cwd;
  if (record.state == CommandState::running && !tab.closed) {
    if (const std::string cwd = process_cwd(look_at_foreground(tab.pane_pid).pid); !cwd.empty()) {
      result.cwd = cwd;
    }
  }
  BoundedText output =
      bounded_text(tab.log, result.start_byte, result.end_byte, view, tab.cols, max_output_bytes);
  result.output = std::move(output.text);
  result.omitted_bytes = output.omitted_bytes;
  return result;
}

}  // namespace terminally
