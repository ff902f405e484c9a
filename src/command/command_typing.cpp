// How a command is typed: to the prompt, its files and record made, its line typed once.

#include <algorithm>
#include <boost/asio.hpp>
#include <iterator>

#include "base/error.hpp"
#include "command/busy.hpp"
#include "command/command_run.hpp"
#include "command/prompt.hpp"
#include "system/keyboard_wait.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"
#include "tab/prompt_cleaner.hpp"
#include "tab/shell_gateway.hpp"
#include "tab/terminal_signals.hpp"

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

/// As cannot_run_in.
constexpr std::string_view kRestricted =
    ", a restricted shell, which sources no file by its path and redirects nothing";
constexpr std::string_view kFishElsewhere =
    ", which cannot read our files there, as another user, behind another terminal or another root (start "
    "bash in it)";

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

/// Types one command. What its end needs to know of that is left in its HowTyped.
class CommandTyping {
 public:
  CommandTyping(CommandRun& run, Clock::time_point called, Clock::time_point give_up_at,
                std::filesystem::path input, std::optional<MeantShell> meant_for)
      : run_(run),
        tab_(*run.tab_),
        terminal_(*run.terminal_),
        record_(run.record_),
        log_(run.output_.log()),
        typed_(run.typed_),
        called_(called),
        give_up_at_(give_up_at),
        input_(std::move(input)),
        meant_for_(std::move(meant_for)),
        at_prompt_(tab_, terminal_, run.watch_) {}

  [[nodiscard]] asio::awaitable<void> live();

 private:
  [[nodiscard]] asio::awaitable<void> carry_out(Act act);
  [[nodiscard]] asio::awaitable<bool> approach();
  [[nodiscard]] asio::awaitable<bool> wait_for_a_pause();
  [[nodiscard]] asio::awaitable<void> clear_prompt();
  [[nodiscard]] asio::awaitable<Did> type(int attempt);
  [[nodiscard]] ShellCommand prepare_record();
  [[nodiscard]] asio::awaitable<bool> type_in_lines(const ShellCommand& command);
  [[nodiscard]] asio::awaitable<bool> type_now(std::string bytes);
  [[nodiscard]] asio::awaitable<bool> try_to_type(std::string bytes);
  [[nodiscard]] PaneFact touch_of_others() const;

  CommandRun& run_;
  Tab& tab_;
  PaneTerminal& terminal_;
  RecordKeeper& record_;
  CommandLog& log_;
  HowTyped& typed_;
  Clock::time_point called_;
  Clock::time_point give_up_at_;
  std::filesystem::path input_;
  std::optional<MeantShell> meant_for_;
  PromptCleaner at_prompt_;
  Foreground prompt_;  ///< where it is typed
};

asio::awaitable<void> start_run(RunPtr run, Clock::time_point called, Clock::time_point give_up_at,
                                std::filesystem::path input, std::optional<MeantShell> meant_for) {
  CommandTyping typing(*run, called, give_up_at, std::move(input), std::move(meant_for));
  co_await typing.live();
}

asio::awaitable<void> CommandTyping::live() {
  run_.state_.life = CommandLife(give_up_at_);
  const CommandRun::Typist typist = [this](Act act) { return carry_out(act); };
  co_await run_.live(typist);
}

asio::awaitable<void> CommandTyping::carry_out(Act act) {
  CommandLife& life = run_.state_.life;
  if (std::holds_alternative<act::Approach>(act)) {
    const bool reached = co_await approach();
    if (reached) {
      life.did(Did::reached_prompt, Clock::now());
    }
  } else if (const auto* typing = std::get_if<act::Type>(&act)) {
    const Did did = co_await type(typing->attempt);
    life.did(did, Clock::now());
  } else if (std::holds_alternative<act::ClearPrompt>(act)) {
    co_await clear_prompt();
    life.did(Did::cleared, Clock::now());
  }
}

/// To the prompt of a shell where a command may be typed. False: something came between, look again.
asio::awaitable<bool> CommandTyping::approach() {
  const Foreground foreground = co_await wait_for_prompt(tab_, give_up_at_);
  if (run_.has_ended()) {
    co_return false;
  }
  // The tab's own shell is back, so what runs is ending: this one is not within it.
  const RunPtr outermost = tab_.runs.front();
  if (foreground.kind == Foreground::Kind::shell && outermost.get() != &run_ &&
      !outermost->shells().own_is_replaced() && Clock::now() < give_up_at_) {
    co_await outermost->wait_for_end_by(give_up_at_);
    co_return false;
  }
  const Foreground shell = end_of_keys(tab_.tty, foreground).foreground;
  if (is_restricted_shell(shell)) {
    throw cannot_run_in(tab_, shell, kRestricted);
  }
  if (shell.shell == ShellKind::fish && !reads_our_files(foreground)) {
    throw cannot_run_in(tab_, shell, kFishElsewhere);
  }
  if (std::string note = note_of_lost_gateway(tab_, foreground, called_); !note.empty()) {
    note_once(record_.edit().notes, std::move(note));
  }
  refuse_if_gone(tab_, meant_for_, foreground);
  co_await wait_for_last_words(tab_, give_up_at_);
  if (run_.has_ended()) {
    co_return false;
  }
  if (std::string note = note_of_new_shell(tab_); !note.empty()) {
    record_.note(std::move(note));
  }
  if (const auto own = std::ranges::find(tab_.runs, &run_, &RunPtr::get);
      own != tab_.runs.begin() && own != tab_.runs.end()) {
    (*std::prev(own))->shells().note_shell_gateway(foreground, Clock::now());
  }
  if (!record_->cwd.empty() && process_cwd(shell.pid) != record_->cwd) {
    throw Error(ErrorCode::busy, "tab " + to_string(tab_.window) + " was just taken to " + record_->cwd +
                                     ", and by somebody else from there; nothing was run. Try again");
  }
  prompt_ = foreground;
  co_return true;
}

/// Who types in the tab just now is not interrupted in it. False: there was none while the command was
/// wanted.
asio::awaitable<bool> CommandTyping::wait_for_a_pause() {
  for (;;) {
    const bool typing = co_await terminal_.is(PaneFact::person_types);
    if (!typing) {
      co_return true;
    }
    const auto now = Clock::now();
    if (now >= give_up_at_) {
      throw busy_with_typing(tab_);
    }
    if (is_called_off(run_.state_.requested, now)) {
      co_return false;
    }
    co_await sleep_for(kPauses);
  }
}

asio::awaitable<void> CommandTyping::clear_prompt() {
  const bool pauses = co_await wait_for_a_pause();
  if (!pauses) {
    co_return;
  }
  const bool taken_away = co_await at_prompt_.take_away(prompt_);
  if (!taken_away) {
    co_return;  // they went on: it is looked at anew
  }
  co_await wait_for_prompt(tab_, give_up_at_);
  std::string note = co_await at_prompt_.note();
  if (!note.empty()) {
    record_.note(std::move(note));
  }
}

/// Types the command, unless somebody else may have typed at the prompt, or nobody wants it any more.
asio::awaitable<Did> CommandTyping::type(int attempt) {
  const ShellCommand command = prepare_record();
  if (typed_.in_files) {
    typed_.script = shell_script(*prompt_.shell, command);
    log_.set_own_lines(typed_.script.own_line_marks);
    // The files come before the record: they tell the next server that the command was not taken.
    tab_.files.write(typed_.script, record_->nonce);
  }
  // Before it can begin: whatever becomes of us, the next server looks after it.
  const std::string why_not = record_.save();
  if (!why_not.empty() && run_.context_.keys_are_on_disk && !record_->task_key.empty()) {
    tab_.files.remove(record_->nonce);
    throw Error(ErrorCode::io,
                "nothing was run: its record cannot be written there, by which it would be found again "
                "where the link is cut: " +
                    why_not);
  }
  bool typed = false;
  if (typed_.in_files) {
    typed_.mark_running(tab_.files, *record_);
    const std::string& line = attempt == 1 ? typed_.script.typed_line : typed_.script.mending_line;
    TypedWith with = typed_with(prompt_, tab_.tty);
    if (attempt > 1) {
      with.enter = '\n';  // C-j: Enter may be bound to something else
    }
    typed = co_await type_now(std::string(with.clear) + line + with.enter);
  } else {
    typed = co_await type_in_lines(command);
  }
  co_return !typed ? Did::not_typed : typed_.failure ? Did::perhaps_typed : Did::typed;
}

/// Notes in the record what is known just before the command is typed.
ShellCommand CommandTyping::prepare_record() {
  typed_.nested = prompt_.kind != Foreground::Kind::shell || tab_.runs.front().get() != &run_ ||
                  tab_.files.running_nonce().has_value();
  record_.draw_nonce(typed_.nested);
  CommandRecord& record = record_.edit();
  const int shell_pid = end_of_keys(tab_.tty, prompt_).foreground.pid;
  typed_.reporter = exit_reporter(shell_pid);
  record.shell_pid = shell_pid;
  record.shell_image = process_image(shell_pid);
  record.typed_byte = tab_.log.counted_end();
  record.start_byte = record.typed_byte;
  record.end_byte = record.typed_byte;
  record.started_at_ms = wall_clock_ms();
  record.cwd = process_cwd(shell_pid);
  record.started_steady_ms = steady_ms(Clock::now());
  record.started_ticks = ticks_since_boot();
  record.shell_gateway = shell_gateway(prompt_, Clock::now());
  record.older_jobs = child_processes(shell_pid);
  typed_.in_files = reads_our_files(prompt_);
  if (typed_.in_files) {
    tag_process(prompt_.pid, command_tag(tab_.tag, record.nonce));
  }
  log_.begin(record.nonce, record.typed_byte, record.start_byte);
  return {record.command,
          record.nonce,
          tab_.files.directory(),
          run_.context_.helper,
          tab_.last_exit,
          at_prompt_.exit_code_is_ours(),
          input_};
}

asio::awaitable<bool> CommandTyping::type_in_lines(const ShellCommand& command) {
  if (record_->command.size() > kInlineLimitBytes) {
    throw Error(ErrorCode::invalid_argument,
                "command: " + std::to_string(record_->command.size()) +
                    " bytes are too many for a shell behind ssh, su or docker; at most " +
                    std::to_string(kInlineLimitBytes) + " are allowed there");
  }
  typed_.script = ShellScript();
  log_.set_own_lines({});
  std::string lines(kClearLine);
  for (const std::string& line : inline_lines(command)) {
    lines += line + "\r";
  }
  co_return co_await type_now(lines);
}

asio::awaitable<bool> CommandTyping::type_now(std::string bytes) {
  // A shell of this machine was at its prompt: what left its screen is gone (killed, or a lone `tput smcup`).
  // It may be in a step of its prompt just now: then we look again.
  const auto give_up_at = Clock::now() + kLeavesFullScreen;
  for (;;) {
    if (is_called_off(run_.state_.requested, Clock::now())) {
      co_return false;
    }
    const bool done = co_await try_to_type(bytes);
    if (done) {
      break;
    }
    const bool refused_for_touch = co_await terminal_.is(touch_of_others(), PaneFact::full_screen);
    if (refused_for_touch) {
      co_return false;
    }
    if (prompt_.kind == Foreground::Kind::gateway || Clock::now() >= give_up_at) {
      throw full_screen_shown(tab_);
    }
    const Foreground now = look_at_foreground(tab_.pane_pid);
    if (now.pid == prompt_.pid && prompt_state(now, tab_.tty) == Prompt::ready) {
      leave_full_screen(tab_.tty);
    }
    co_await sleep_for(kTmuxReads);
  }
  if (typed_.failure && nothing_was_typed(*typed_.failure)) {
    throw typed_.failure->code() == ErrorCode::not_found
        ? Error(ErrorCode::tab_closed,
                "tab " + to_string(tab_.window) + " is closed; its log can still be read")
        : *typed_.failure;
  }
  if (typed_.failure) {
    tab_.files.remove_script(record_->nonce);  // a late delivery runs nothing; it may have come in time
  }
  co_return true;
}

/// The fact by which somebody else may have typed. Our own C-c was a moment ago: since then only who sees the
/// pane can have.
PaneFact CommandTyping::touch_of_others() const {
  return at_prompt_.was_taken_away() ? PaneFact::others_typed_just_now : PaneFact::others_typed;
}

/// Not while a full-screen program is shown, nor where somebody else may have left something at the prompt:
/// that is looked at in the moment of the typing. False: nothing was typed for that; else it was, or may have
/// been (typed_.failure).
asio::awaitable<bool> CommandTyping::try_to_type(std::string bytes) {
  bool done = true;
  typed_.failure.reset();
  try {
    done =
        co_await terminal_.type(std::move(bytes), TypedAs::line, PaneFact::full_screen | touch_of_others());
  } catch (const Error& error) {
    typed_.failure = error;
  }
  co_return done;
}

}  // namespace terminally
