// The first half of a command's life: from the call to START. The second half is in command_run.cpp.

#include <algorithm>
#include <boost/asio.hpp>
#include <iterator>

#include "base/command_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/busy.hpp"
#include "tmux/command_run.hpp"
#include "tmux/proc.hpp"
#include "tmux/prompt.hpp"
#include "tmux/shell_end.hpp"
#include "tmux/signals.hpp"
#include "tmux/terminal_text.hpp"
#include "tmux/touched.hpp"
#include "tmux/tty_wait.hpp"
#include "tmux/way_in.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// The second time with a line that takes away what may hide our builtins.
constexpr int kStartAttempts = 2;
/// How long tmux may take to leave a screen that nobody is in any more, and how often we look.
constexpr Milliseconds kLeavesFullScreen{2'000};
constexpr Milliseconds kTmuxReads{20};
const std::string kFullScreen = "#{alternate_on}";

/// A blank, C-e, C-u: to the end of the line and clear it, in emacs and vi insert mode, and (C-u) in a
/// line-mode terminal. The blank is there because readline rings the bell when there is nothing to clear, and
/// comes first because Esc or C-x may have been left: C-x C-e edits the line and runs it, Esc C-e expands its
/// $(…).
constexpr std::string_view kClearLine = " \x05\x15";

struct TypedWith {
  std::string_view clear = kClearLine;
  char enter = '\r';
};

/// A line editor makes the terminal what it needs. dash has none, and takes it as the last command left it:
/// `stty raw` and a program that was killed leave one where C-u is a character and Enter is no newline.
TypedWith typed_with(const Foreground& foreground, const std::string& tty) {
  TypedWith with;
  const auto mode = terminal_mode(tty);
  if (mode && (mode->cr_is_dropped || (foreground.shell == ShellKind::posix && !mode->cr_is_enter))) {
    with.enter = '\n';
  }
  if (mode && !mode->line && foreground.shell == ShellKind::posix &&
      (mode->echo || foreground.name == "dash")) {
    with.clear = "";
  }
  return with;
}

Error why_not_typed(const Error& error, const Tab& tab) {
  const std::string name = "tab " + to_string(tab.window);
  if (error.code() == ErrorCode::not_found) {
    return Error(ErrorCode::tab_closed, name + " is closed; its log can still be read");
  }
  if (were_not_typed(error)) {
    return Error(ErrorCode::busy,
                 name + " shows a full-screen program; leave it, or end it with stop_process");
  }
  return error;
}

}  // namespace

CommandRun::CommandRun(RunContext& context, std::shared_ptr<Tab> tab, std::string command,
                       OutputCallback on_output, std::string who)
    : context_(context),
      tab_(std::move(tab)),
      tmux_(context.client.of_server(tab_->server_pid)),
      text_(std::move(command)),
      on_output_(std::move(on_output)),
      watch_(context.watch.watch(tab_->log.path())) {
  record_.command = text_;
  record_.who = std::move(who);
}

void CommandRun::fresh_nonce() {
  record_.nonce = random_hex(16);
  record_.id = command_id_of(record_.nonce);
}

/// Nothing was typed under this nonce, or nothing was run. What cannot be written now (a full disk) is
/// settled by the next look at the tab.
void CommandRun::withdraw() noexcept {
  if (may_be_typed()) {
    tab_->files.remove(record_.nonce);
  }
  if (recorded_) {
    try {
      CommandRecord withdrawn = record_;
      withdrawn.withdrawn = true;
      tab_->records.append(withdrawn);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    recorded_ = false;
  }
  record_.nonce.clear();
  record_.id.clear();
}

bool CommandRun::is_called_off() const {
  return is_interrupted() || call_answered_ || Clock::now() >= deadline_;
}

/// It was not run, and is not typed again.
void CommandRun::call_off() {
  called_off_ = true;
  if (!is_interrupted() && call_answered_) {
    never_ran();
    return;
  }
  const Reason why = is_interrupted() ? interrupt_reason_ : Reason::timeout;
  record_.notes.push_back(std::string("nothing was run: ") +
                          (why == Reason::timeout ? "its time was over" : "it was cancelled") +
                          " before the shell was at its prompt and could take it");
  finish(CommandState::cancelled, why, std::nullopt);
}

/// A second line is typed only where the first one is known to run nothing, now and later. Another command
/// may end this one at any wait: the shell that it was typed into has ended with that, or the tab.
asio::awaitable<void> CommandRun::start(Clock::time_point called, Clock::time_point give_up_at) {
  exit_lost_ = false;
  for (attempt_ = 1;;) {
    const Foreground foreground = co_await wait_for_prompt(*tab_, give_up_at);
    if (has_ended()) {
      co_return;
    }
    // The tab's own shell is back, so what runs is ending: this one is not within it.
    const std::shared_ptr<CommandRun> first = tab_->runs.front();
    if (foreground.kind == Foreground::Kind::shell && first.get() != this && !first->shell_is_replaced() &&
        Clock::now() < give_up_at) {
      co_await first->ends_by(give_up_at);
      continue;
    }
    if (is_restricted_shell(foreground)) {
      throw cannot_run_in_restricted(*tab_, foreground);
    }
    if (std::string note = note_of_lost_way(*tab_, foreground, called);
        !note.empty() && std::ranges::find(record_.notes, note) == record_.notes.end()) {
      record_.notes.push_back(std::move(note));
    }
    co_await wait_for_last_words(*tab_, give_up_at);
    if (has_ended()) {
      co_return;
    }
    if (std::string note = note_of_new_shell(*tab_); !note.empty()) {
      record_.notes.push_back(std::move(note));
    }
    if (const auto own = std::ranges::find(tab_->runs, this, &std::shared_ptr<CommandRun>::get);
        own != tab_->runs.begin() && own != tab_->runs.end()) {
      (*std::prev(own))->note_way_in(foreground, Clock::now());
    }
    fresh_nonce();
    const bool typed = co_await type(foreground);
    if (has_ended()) {
      co_return;
    }
    if (typed && !co_await is_left_untaken_by(std::max(give_up_at, Clock::now() + kUnanswered))) {
      co_return;
    }
    if (has_ended()) {
      co_return;
    }
    if (typed && typing_failure_) {
      throw why_not_typed(*typing_failure_, *tab_);
    }
    if (typed && attempt_++ == kStartAttempts) {
      never_ran();
      co_return;
    }
    if (is_called_off()) {
      call_off();
      co_return;
    }
    withdraw();
    if (!typed) {
      co_await clear_prompt(foreground, give_up_at);
      exit_lost_ = foreground.shell != ShellKind::fish;
    }
  }
}

/// False: it was not typed, as somebody else may have typed there, or it is called off.
asio::awaitable<bool> CommandRun::type(const Foreground& foreground) {
  nested_ = foreground.kind != Foreground::Kind::shell || tab_->runs.front().get() != this ||
            tab_->files.running_nonce().has_value();
  reporter_ = exit_reporter(foreground.pid);
  record_.shell_pid = foreground.pid;
  record_.shell_image = process_image(foreground.pid);
  const ShellCommand command{text_,           record_.nonce, tab_->files.directory(),        context_.helper,
                             tab_->last_exit, exit_lost_,    tab_->files.editor_key().script};
  record_.typed_byte = tab_->log.counted_end();
  record_.start_byte = record_.typed_byte;
  record_.end_byte = record_.typed_byte;
  record_.started_at_ms = wall_clock_ms();
  record_.cwd = process_cwd(foreground.pid);
  record_.started_steady_ms = steady_ms(Clock::now());
  record_.started_ticks = ticks_since_boot();
  record_.way_in = way_in(foreground, Clock::now());
  record_.older_jobs = child_processes(foreground.pid);
  if (foreground.reads_our_files) {
    tag_process(foreground.pid, command_tag(tab_->tag, record_.nonce));
  }
  read_ = record_.typed_byte;
  scanner_.emplace(record_.nonce, read_);
  in_files_ = foreground.reads_our_files;
  if (in_files_) {
    script_ = shell_script(*foreground.shell, command);
    // Before its record: they say that it was not taken.
    in_files_ = is_made(&CommandRun::write_script, *foreground.shell);
  }
  save_record();  // before it can begin: whatever becomes of us, the next server looks after it
  if (in_files_) {
    in_files_ = is_made(&CommandRun::mark_running, *foreground.shell);
  }
  if (!in_files_) {
    co_return co_await type_in_lines(command, foreground);
  }
  const std::string& line = attempt_ == 1 ? script_.typed_line : script_.mending_line;
  TypedWith with = typed_with(foreground, tab_->tty);
  if (attempt_ > 1) {
    with.enter = '\n';  // C-j: Enter may be bound to something else
  }
  co_return co_await type_now(std::string(with.clear) + line + with.enter, foreground);
}

void CommandRun::write_script() const {
  tab_->files.write(script_, record_.nonce);
}

void CommandRun::mark_running() const {
  if (!nested_) {
    tab_->files.mark_running(record_.nonce, record_.cwd);
  }
}

/// Where not even links to memory can be made, what works in a shell elsewhere works here, too.
bool CommandRun::is_made(void (CommandRun::*make)() const, ShellKind shell) {
  try {
    (this->*make)();
  } catch (const Error& error) {
    tab_->files.remove(record_.nonce);
    if (shell == ShellKind::fish || text_.size() > kInlineLimitBytes) {
      throw;
    }
    record_.notes.push_back(
        "the files of this command could not be made, so it was typed in lines, as behind ssh: " +
        std::string(error.what()));
    return false;
  }
  return true;
}

asio::awaitable<bool> CommandRun::type_in_lines(const ShellCommand& command, const Foreground& foreground) {
  if (text_.size() > kInlineLimitBytes) {
    throw Error(ErrorCode::invalid_argument,
                "command: " + std::to_string(text_.size()) +
                    " bytes are too many for a shell behind ssh, su or docker; at most " +
                    std::to_string(kInlineLimitBytes) + " are allowed there");
  }
  script_ = ShellScript();
  std::string lines(kClearLine);
  for (const std::string& line : inline_lines(command)) {
    lines += line + "\r";
  }
  co_return co_await type_now(lines, foreground);
}

asio::awaitable<bool> CommandRun::type_now(std::string bytes, const Foreground& foreground) {
  // A shell of this machine was at its prompt: what left its screen is gone (killed, or a lone `tput smcup`).
  // It may be in a step of its prompt just now: then we look again.
  const auto give_up_at = Clock::now() + kLeavesFullScreen;
  for (;;) {
    if (is_called_off()) {
      co_return false;
    }
    typing_failure_ = co_await try_to_type(bytes);
    if (!typing_failure_ || !were_not_typed(*typing_failure_)) {
      break;
    }
    const bool refused_for_touch = co_await is_true("#{?" + kFullScreen + ",0," + touch_of_others() + "}");
    if (refused_for_touch) {
      co_return false;
    }
    if (foreground.kind == Foreground::Kind::gateway || Clock::now() >= give_up_at) {
      break;
    }
    const Foreground now = look_at_foreground(tab_->pane_pid);
    if (now.pid == foreground.pid && prompt_state(now, tab_->tty) == Prompt::ready) {
      leave_full_screen(tab_->tty);
    }
    co_await sleep_for(kTmuxReads);
  }
  if (typing_failure_ &&
      (were_not_typed(*typing_failure_) || typing_failure_->code() == ErrorCode::not_found)) {
    throw why_not_typed(*typing_failure_, *tab_);
  }
  if (typing_failure_) {
    tab_->files.remove_script(record_.nonce);  // a late delivery runs nothing; it may have come in time
  }
  co_return true;
}

/// Of our own C-c, too, there is a moment until the prompt is back.
std::string CommandRun::touch_of_others() const {
  return cleared_ ? touched_just_now() : touched();
}

/// Not while a full-screen program is shown, nor where somebody else may have left something at the prompt:
/// tmux looks in the moment of the typing.
asio::awaitable<std::optional<Error>> CommandRun::try_to_type(const std::string& bytes) {
  const std::string unless = "#{||:" + kFullScreen + "," + touch_of_others() + "}";
  std::optional<Error> failure;
  try {
    co_await tmux_.change(type_bytes(to_string(tab_->pane), bytes, unless, Typed::line));
  } catch (const Error& error) {
    failure = error;
  }
  co_return failure;
}

/// Of the pane, a tmux condition.
asio::awaitable<bool> CommandRun::is_true(std::string condition) const {
  const std::string answer =
      co_await tmux_.query("display-message -p -t " + quote(to_string(tab_->pane)) + " " + quote(condition));
  co_return answer.starts_with('1');
}

bool CommandRun::has_begun() const {
  return began_ || (in_files_ && tab_->files.may_be_taken(record_.nonce));
}

/// The shell waits at its prompt and its file says that it has not come to the text. From now on it cannot:
/// the script is gone. Of a shell elsewhere only its own answer would tell. To be asked several times.
bool CommandRun::is_left_untaken(Milliseconds patience) {
  const auto waits = [this] {
    if (has_begun()) {
      return false;
    }
    const Foreground now = look_at_foreground(tab_->pane_pid);
    return now.pid == record_.shell_pid && prompt_state(now, tab_->tty) != Prompt::not_yet;
  };
  if (!in_files_ || !waits()) {
    idle_prompt_seen_.reset();
    return false;
  }
  idle_prompt_seen_ = idle_prompt_seen_.value_or(Clock::now());
  if (Clock::now() - *idle_prompt_seen_ < patience) {
    return false;
  }
  tab_->files.remove_script(record_.nonce);
  return !pump() && waits();
}

/// Waits until it began, ended, or is known never to begin: then true. When the time is over nothing is
/// known: a slow link, a stopped log writer. It is followed all the same, and a late START is taken.
asio::awaitable<bool> CommandRun::is_left_untaken_by(Clock::time_point give_up_at) {
  idle_prompt_seen_.reset();
  std::optional<Clock::time_point> begun;
  while (Clock::now() < give_up_at) {
    const bool ended = pump();
    const bool untaken = in_files_ && !has_begun();
    if (ended && untaken && end_marker_->by == Marker::By::shell) {
      end_marker_.reset();
      co_return true;  // the shell died before it came to it; there is a new one
    }
    if (ended || began_) {
      co_return false;
    }
    if (has_begun()) {
      begun = begun.value_or(Clock::now());
      if (Clock::now() - *begun > kUnanswered || tab_->files.exit_code(record_.nonce)) {
        co_return false;  // START is late (a stopped log writer), or lost
      }
    }
    if (is_left_untaken(typing_failure_ ? Milliseconds(0) : kUnanswered)) {
      co_return true;
    }
    if (!is_alive(tab_->pane_pid)) {
      if (untaken && !has_begun()) {
        throw Error(ErrorCode::tab_closed,
                    "tab " + to_string(tab_->window) + " was closed before the command began");
      }
      co_return false;
    }
    co_await watch_.changed_by(Clock::now() + Milliseconds(100));
  }
  co_return false;
}

void CommandRun::never_ran() {
  record_.notes.emplace_back(
      "no shell answered in this tab, nothing was run; look at it with read_screen, C-c by send_keys leaves "
      "what has its keyboard");
  finish(CommandState::failed, Reason::no_shell_answered, std::nullopt);
}

}  // namespace terminally
