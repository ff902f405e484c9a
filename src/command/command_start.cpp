// How a command is typed: to the prompt, its files and record made, its line typed once.

#include <algorithm>
#include <boost/asio.hpp>
#include <iterator>

#include "base/command_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "command/busy.hpp"
#include "command/command_run.hpp"
#include "command/prompt.hpp"
#include "command/way_in.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "system/terminal_text.hpp"
#include "system/tty_wait.hpp"
#include "tab/shell_end.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How often we look whether a person who types in the tab just now has paused.
constexpr Milliseconds kPauses{100};
/// How long tmux may take to leave a screen that nobody is in any more, and how often we look.
constexpr Milliseconds kLeavesFullScreen{2'000};
constexpr Milliseconds kTmuxReads{20};

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

Error full_screen_shown(const Tab& tab) {
  return Error(ErrorCode::busy, "tab " + to_string(tab.window) +
                                    " shows a full-screen program; leave it, or end it with stop_process");
}

}  // namespace

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
  log_.forget();
}

/// To the prompt of a shell where a command may be typed. False: something came between, look again.
asio::awaitable<bool> CommandRun::approach() {
  const Foreground foreground = co_await wait_for_prompt(*tab_, give_up_at_);
  if (has_ended()) {
    co_return false;
  }
  // The tab's own shell is back, so what runs is ending: this one is not within it.
  const RunPtr first = tab_->runs.front();
  if (foreground.kind == Foreground::Kind::shell && first.get() != this && !first->shell_is_replaced() &&
      Clock::now() < give_up_at_) {
    co_await first->wait_for_end_by(give_up_at_);
    co_return false;
  }
  if (is_restricted_shell(foreground)) {
    throw cannot_run_in_restricted(*tab_, foreground);
  }
  if (std::string note = note_of_lost_way(*tab_, foreground, called_); !note.empty()) {
    note_once(record_.notes, std::move(note));
  }
  co_await wait_for_last_words(*tab_, give_up_at_);
  if (has_ended()) {
    co_return false;
  }
  if (std::string note = note_of_new_shell(*tab_); !note.empty()) {
    record_.notes.push_back(std::move(note));
  }
  if (const auto own = std::ranges::find(tab_->runs, this, &RunPtr::get);
      own != tab_->runs.begin() && own != tab_->runs.end()) {
    (*std::prev(own))->note_way_in(foreground, Clock::now());
  }
  prompt_ = foreground;
  co_return true;
}

/// Who types in the tab just now is not interrupted in it. False: there was none while the command was
/// wanted.
asio::awaitable<bool> CommandRun::wait_for_a_pause() {
  for (;;) {
    const bool typing = co_await terminal_->is(PaneFact::person_types);
    if (!typing) {
      co_return true;
    }
    const auto now = Clock::now();
    if (now >= give_up_at_) {
      throw busy_with_typing(*tab_);
    }
    if (is_called_off(wishes_, now)) {
      co_return false;
    }
    co_await sleep_for(kPauses);
  }
}

asio::awaitable<void> CommandRun::clear_prompt() {
  const bool pauses = co_await wait_for_a_pause();
  if (!pauses) {
    co_return;
  }
  const bool taken_away = co_await at_prompt_.take_away(prompt_);
  if (!taken_away) {
    co_return;  // they went on: it is looked at anew
  }
  co_await wait_for_prompt(*tab_, give_up_at_);
  std::string note = co_await at_prompt_.note();
  if (!note.empty()) {
    record_.notes.push_back(std::move(note));
  }
}

/// Types the command, unless somebody else may have typed at the prompt, or nobody wants it any more.
asio::awaitable<Did> CommandRun::type(int attempt) {
  const ShellCommand command = prepare_record();
  if (in_files_) {
    script_ = shell_script(*prompt_.shell, command);
    log_.set_own_lines(script_.own_line_marks);
    // The files come before the record: they tell the next server that the command was not taken.
    tab_->files.write(script_, record_.nonce);
  }
  // Before it can begin: whatever becomes of us, the next server looks after it.
  const std::string why_not = save_record();
  if (!why_not.empty() && context_.keys_are_on_disk && !record_.task_key.empty()) {
    tab_->files.remove(record_.nonce);
    throw Error(ErrorCode::io,
                "nothing was run: its record cannot be written there, by which it would be found again "
                "where the link is cut: " +
                    why_not);
  }
  bool typed = false;
  if (in_files_) {
    mark_running();
    const std::string& line = attempt == 1 ? script_.typed_line : script_.mending_line;
    TypedWith with = typed_with(prompt_, tab_->tty);
    if (attempt > 1) {
      with.enter = '\n';  // C-j: Enter may be bound to something else
    }
    typed = co_await type_now(std::string(with.clear) + line + with.enter);
  } else {
    typed = co_await type_in_lines(command);
  }
  co_return !typed ? Did::not_typed : typing_failure_ ? Did::perhaps_typed : Did::typed;
}

/// Notes in the record what is known just before the command is typed.
ShellCommand CommandRun::prepare_record() {
  fresh_nonce();
  nested_ = prompt_.kind != Foreground::Kind::shell || tab_->runs.front().get() != this ||
            tab_->files.running_nonce().has_value();
  reporter_ = exit_reporter(prompt_.pid);
  record_.shell_pid = prompt_.pid;
  record_.shell_image = process_image(prompt_.pid);
  record_.typed_byte = tab_->log.counted_end();
  record_.start_byte = record_.typed_byte;
  record_.end_byte = record_.typed_byte;
  record_.started_at_ms = wall_clock_ms();
  record_.cwd = process_cwd(prompt_.pid);
  record_.started_steady_ms = steady_ms(Clock::now());
  record_.started_ticks = ticks_since_boot();
  record_.way_in = way_in(prompt_, Clock::now());
  record_.older_jobs = child_processes(prompt_.pid);
  in_files_ = reads_our_files(prompt_);
  if (in_files_) {
    tag_process(prompt_.pid, command_tag(tab_->tag, record_.nonce));
  }
  log_.begin(record_.nonce, record_.typed_byte, record_.start_byte);
  return {text_,           record_.nonce,   tab_->files.directory(),
          context_.helper, tab_->last_exit, at_prompt_.exit_code_is_ours()};
}

void CommandRun::mark_running() const {
  if (!nested_) {
    tab_->files.mark_running(record_.nonce, record_.cwd);
  }
}

asio::awaitable<bool> CommandRun::type_in_lines(const ShellCommand& command) {
  if (text_.size() > kInlineLimitBytes) {
    throw Error(ErrorCode::invalid_argument,
                "command: " + std::to_string(text_.size()) +
                    " bytes are too many for a shell behind ssh, su or docker; at most " +
                    std::to_string(kInlineLimitBytes) + " are allowed there");
  }
  script_ = ShellScript();
  log_.set_own_lines({});
  std::string lines(kClearLine);
  for (const std::string& line : inline_lines(command)) {
    lines += line + "\r";
  }
  co_return co_await type_now(lines);
}

asio::awaitable<bool> CommandRun::type_now(std::string bytes) {
  // A shell of this machine was at its prompt: what left its screen is gone (killed, or a lone `tput smcup`).
  // It may be in a step of its prompt just now: then we look again.
  const auto give_up_at = Clock::now() + kLeavesFullScreen;
  for (;;) {
    if (is_called_off(wishes_, Clock::now())) {
      co_return false;
    }
    const bool done = co_await try_to_type(bytes);
    if (done) {
      break;
    }
    const bool refused_for_touch = co_await terminal_->is(touch_of_others(), PaneFact::full_screen);
    if (refused_for_touch) {
      co_return false;
    }
    if (prompt_.kind == Foreground::Kind::gateway || Clock::now() >= give_up_at) {
      throw full_screen_shown(*tab_);
    }
    const Foreground now = look_at_foreground(tab_->pane_pid);
    if (now.pid == prompt_.pid && prompt_state(now, tab_->tty) == Prompt::ready) {
      leave_full_screen(tab_->tty);
    }
    co_await sleep_for(kTmuxReads);
  }
  if (typing_failure_ && nothing_was_typed(*typing_failure_)) {
    throw why_not_typed();
  }
  if (typing_failure_) {
    tab_->files.remove_script(record_.nonce);  // a late delivery runs nothing; it may have come in time
  }
  co_return true;
}

Error CommandRun::why_not_typed() const {
  return typing_failure_->code() == ErrorCode::not_found
             ? Error(ErrorCode::tab_closed,
                     "tab " + to_string(tab_->window) + " is closed; its log can still be read")
             : *typing_failure_;
}

/// The fact by which somebody else may have typed. Our own C-c was a moment ago: since then only who sees the
/// pane can have.
PaneFact CommandRun::touch_of_others() const {
  return at_prompt_.was_taken_away() ? PaneFact::touched_a_moment_ago : PaneFact::touched;
}

/// Not while a full-screen program is shown, nor where somebody else may have left something at the prompt:
/// that is looked at in the moment of the typing. False: nothing was typed for that; else it was, or may have
/// been (typing_failure_).
asio::awaitable<bool> CommandRun::try_to_type(std::string bytes) {
  bool done = true;
  typing_failure_.reset();
  try {
    done = co_await terminal_->type(std::move(bytes), Typed::line, PaneFact::full_screen | touch_of_others());
  } catch (const Error& error) {
    typing_failure_ = error;
  }
  co_return done;
}

}  // namespace terminally
