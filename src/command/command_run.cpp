// One command of a tab: what goes on between what it sees (command_senses.cpp), its life (life.cpp) and what
// it does (command_acts.cpp). How it is typed: command_start.cpp, line_at_prompt.cpp; what it prints:
// command_log.cpp; the shells that it opens: command_nested.cpp; its end and its record: command_end.cpp.

#include "command/command_run.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

}  // namespace

CommandRun::CommandRun(RunContext& context, std::shared_ptr<Tab> tab, std::string command, std::string who,
                       std::string task_key)
    : context_(context),
      tab_(std::move(tab)),
      terminal_(context.terminal_of(*tab_)),
      watch_(context.watch.watch(tab_->log.path())),
      text_(std::move(command)),
      life_(Clock::time_point::max()) {
  record_.command = text_;
  record_.who = std::move(who);
  record_.task_key = std::move(task_key);
}

CommandRun::CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record)
    : context_(context),
      tab_(std::move(tab)),
      terminal_(context.terminal_of(*tab_)),
      watch_(context.watch.watch(tab_->log.path())),
      text_(record.command),
      life_(tab_->closed ? CommandLife::Found::in_closed_tab : CommandLife::Found::running, Clock::now()),
      record_(std::move(record)),
      adopted_(true),
      recorded_(true) {
  log_.begin(record_.nonce, record_.typed_byte, record_.start_byte);
  const auto shell = process_info(record_.shell_pid);
  const bool own_shell = shell && shell->parent == tab_->pane_pid.pid;
  in_files_ = !tab_->closed && !tab_->files.are_gone(record_.nonce);
  const auto marked = tab_->closed ? std::nullopt : tab_->files.running_nonce();
  nested_ = !tab_->closed && (!own_shell || marked) && marked != record_.nonce;
  reporter_ = tab_->closed ? ExitReporter() : exit_reporter(record_.shell_pid);
  const auto kind = shell ? shell_kind(shell->name) : std::nullopt;
  if (kind && !tab_->closed && !shell_is_replaced() && (own_shell || !tab_->files.are_gone(record_.nonce))) {
    script_ = shell_script(*kind, ShellCommand{.text = text_,
                                               .nonce = record_.nonce,
                                               .directory = tab_->files.directory(),
                                               .helper = context.helper});
    log_.set_own_lines(script_.own_line_marks);
  }
  if (record_.deadline_steady_ms != 0) {
    wishes_.deadline = Clock::time_point(Milliseconds(record_.deadline_steady_ms));
  }
  if (record_.signalled) {
    wishes_.why = Reason::cancelled_by_client;  // whatever ends it was our signal; no more are sent
  }
  // The process that looked after it before had begun to end it.
  if (record_.reason != Reason::none || tab_->files.is_cancelled(record_.nonce)) {
    request_end(record_.reason == Reason::none ? Reason::cancelled_by_client : record_.reason, false);
    record_.reason = Reason::none;
  }
}

std::uint64_t CommandRun::duration_ms() const {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, steady_ms(Clock::now()) - record_.started_steady_ms));
}

std::uint64_t CommandRun::output_end() const {
  return has_ended() || !may_be_typed() ? record_.end_byte : log_.output_end();
}

LogReach::Part CommandRun::output() const {
  if (!log_.has_start() || (!log_.output_is_known() && !has_ended())) {
    return {.begin = 0, .end = 0, .last = has_ended()};
  }
  // Where the log had not taken all of its output when it ended, the rest may come later, or never.
  const std::uint64_t end =
      record_.unread_from != 0 ? std::min(record_.unread_from, record_.end_byte) : output_end();
  return {.begin = record_.start_byte, .end = end, .last = has_ended()};
}

asio::awaitable<void> CommandRun::start(Clock::time_point called, Clock::time_point give_up_at) {
  called_ = called;
  give_up_at_ = give_up_at;
  life_ = CommandLife(give_up_at);
  co_await live();
}

asio::awaitable<void> CommandRun::follow() {
  const auto self = shared_from_this();
  co_await live();
}

/// Until it has begun, then until it has ended: a look, what its life makes of it, and a rest until there is
/// something new. Another command may end this one at any wait: the shell that it was typed into has ended
/// with that, or the tab.
asio::awaitable<void> CommandRun::live() {
  const bool was_followed = life_.is_followed();
  while (!has_ended()) {
    read_log();
    heed_other_processes();
    const Todo todo = life_.step(*this, Clock::now());
    for (std::size_t i = 0; i < todo.acts.size() && !has_ended(); ++i) {
      co_await carry_out(todo.acts[i]);
    }
    if (has_ended()) {
      co_return;
    }
    if (life_.outcome() != nullptr) {
      end_as(*life_.outcome());
      co_return;
    }
    if (!was_followed && life_.is_followed()) {
      co_return;
    }
    if (log_.goes_on() && !log_.end()) {
      co_await asio::post(context_.executor, asio::use_awaitable);
    } else if (todo.look_at > Clock::now()) {
      co_await watch_.changed_by(todo.look_at);
    }
  }
}

/// A log that cannot be read just now may be readable later.
void CommandRun::read_log() {
  try {
    pump();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): log_ knows since when
  }
}

/// Reads what is new in the log. True once END was found.
bool CommandRun::pump() {
  const std::uint64_t read_before = log_.read_to();
  const bool ended = log_.read();
  if (log_.has_start() && std::exchange(record_.start_byte, log_.start()) != log_.start() && !ended) {
    static_cast<void>(save_record());  // before anybody sees its output, and asks
  }
  if (log_.read_to() != read_before) {
    output_changed_.notify();
  }
  return ended;
}

/// A client may cancel it, or send it a signal, by another process than this: in turn, and by force at last.
/// Also where its END is there by now: what ended it may be that.
void CommandRun::heed_other_processes() {
  if (wishes_.force || tab_->closed || !life_.is_followed()) {
    return;
  }
  const bool cancelled = tab_->files.is_cancelled(record_.nonce);
  const bool force = cancelled && tab_->files.is_cancelled_by_force(record_.nonce);
  if (force || (cancelled && !wishes_.ends)) {
    request_end(Reason::cancelled_by_client, force);
  } else if (!is_interrupted() && tab_->files.is_signalled(record_.nonce)) {
    wishes_.why = Reason::cancelled_by_client;
  }
}

void CommandRun::request_end(Reason why, bool force) {
  if (has_ended()) {
    return;
  }
  if (wishes_.why == Reason::none) {
    wishes_.why = why;
  }
  wishes_.ends = true;
  wishes_.force = wishes_.force || force;
  watch_.wake();
}

void CommandRun::set_deadline(Clock::time_point when) {
  wishes_.deadline = when;
  record_.deadline_steady_ms = when == Clock::time_point::max() ? 0 : steady_ms(when);
  if (recorded_ && !has_ended()) {
    static_cast<void>(save_record());
  }
  watch_.wake();
}

void CommandRun::settle(bool followed) {
  if (tab_->closed) {
    if (pump() || !log_.goes_on()) {
      give_up(context_.server_alive() ? Reason::tab_closed : Reason::tmux_server_lost);
    }
  } else if (pump() && !is_interrupted()) {
    if (!followed || !looks_interrupted(*end())) {  // else tmux is to be asked who was there
      conclude();
    }
  } else if (const auto ended_at = tab_->files.ended_at_ms(record_.nonce);
             ended_at && !log_.end() && !log_.goes_on() &&
             wall_clock_ms() - *ended_at > CommandLife::kEndMissing.count() && !log_writer_is_stopped()) {
    if (const auto code = exit_code()) {
      end_as(by_exit_file(Outcome::Seen::exit_file, why(), code));
    }
  }
}

asio::awaitable<void> CommandRun::catch_up() {
  const auto self = shared_from_this();
  try {
    while (!has_ended() && !pump() && log_.goes_on()) {
      co_await asio::post(context_.executor, asio::use_awaitable);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): give_up says so
  }
}

void CommandRun::give_up(Reason why, std::optional<std::uint64_t> output_ends_before) {
  if (has_ended()) {
    return;
  }
  if (!may_be_typed()) {
    abandon();
    return;
  }
  try {
    if (pump()) {
      conclude();
      return;
    }
    record_.end_byte = std::min(tab_->log.end(), output_ends_before.value_or(UINT64_MAX));
  } catch (const Error& error) {
    record_.notes.emplace_back(error.what());  // the log cannot be read
  }
  if (why == Reason::shell_exited) {
    note_end_of_shell();
    finish(lost(Outcome::Seen::shell_gone, this->why()));
  } else {
    finish(lost(Outcome::Seen::gave_up, why));
  }
}

bool CommandRun::is_left_untaken() {
  Untaken untaken;
  Todo todo;
  const auto looks = [&] { return untaken.look(*this, Milliseconds(0), Clock::now(), todo); };
  if (looks() || todo.acts.empty()) {
    return false;
  }
  tab_->files.remove_script(record_.nonce);
  return !pump() && looks();
}

void CommandRun::abandon() {
  if (has_ended()) {
    return;
  }
  if (wishes_.answered) {
    end_as(called_off(wishes_));
    return;
  }
  withdraw();
  record_.state = is_interrupted() ? CommandState::cancelled : CommandState::failed;
  record_.reason = is_interrupted() ? why() : Reason::no_shell_answered;
  record_.notes.emplace_back("nothing was run");
  leave_tab();
  ended_.set();  // for who waits for it
  output_changed_.notify();
}

}  // namespace terminally
