// The first half of a command's life: from the call to START. The second half is in command_run.cpp.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/command_run.hpp"
#include "tmux/left_at_prompt.hpp"
#include "tmux/proc.hpp"
#include "tmux/prompt.hpp"
#include "tmux/signals.hpp"
#include "tmux/terminal_text.hpp"
#include "tmux/tty_wait.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How often a command is typed anew when no shell answered: what a person left unfinished took the line.
constexpr int kStartAttempts = 3;
/// How long a shell that still shows a prompt may take before its START counts as never coming. Generous: a
/// loaded machine.
constexpr Milliseconds kUnanswered{1'500};
constexpr Milliseconds kUnansweredAtAll{10'000};
constexpr Milliseconds kUnansweredInline{3'000};
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
  record_.id = record_.nonce.substr(0, 8);
}

/// It was typed under this nonce and not run. What cannot be written now (a full disk) is settled by the next
/// look at the tab.
void CommandRun::withdraw() noexcept {
  if (recorded_) {
    try {
      CommandRecord withdrawn = record_;
      withdrawn.withdrawn = true;
      tab_->records.append(withdrawn);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    recorded_ = false;
  }
}

/// What we type would go on with a command that was left half typed at the prompt, and both would run.
asio::awaitable<Foreground> CommandRun::wait_for_empty_prompt(Clock::time_point deadline) {
  Foreground foreground = co_await wait_for_prompt(*tab_, deadline);
  bool taken = false;
  for (int tries = 0; tries < 2 && !taken && is_something_left(*tab_, foreground); ++tries) {
    exit_lost_ = foreground.shell != ShellKind::fish;
    const std::uint64_t before = tab_->log.end();
    co_await clear_prompt();
    foreground = co_await wait_for_prompt(*tab_, deadline);
    // An editor may have taken it for the argument of a key (vi's f): then there is no new prompt.
    taken = tab_->log.read(before, kTraceLineBytes).bytes.find('\n') != std::string::npos;
  }
  tab_->prompt.reset();
  ++tab_->prompt_turn;
  co_return foreground;
}

asio::awaitable<void> CommandRun::start(Clock::time_point prompt_deadline) {
  exit_lost_ = false;
  for (attempt_ = 1; attempt_ <= kStartAttempts; ++attempt_) {
    const Foreground foreground = co_await wait_for_empty_prompt(prompt_deadline);
    withdraw();
    fresh_nonce();
    co_await type(foreground);
    const Began began = co_await wait_until_it_begins(foreground);
    if (began == Began::yes) {
      co_return;
    }
    // From here on the typed line runs nothing, should a shell still come to it.
    tab_->files.remove_script(record_.nonce);
    if (began == Began::no) {
      exit_lost_ = true;
      co_await clear_prompt();
      if (pump() || began_) {
        co_return;
      }
    }
    tab_->files.remove(record_.nonce);
  }
  record_.notes.emplace_back(
      "no shell answered in this tab, nothing was run; look at it with read_logs_from_tab");
  finish(CommandState::failed, Reason::no_shell_answered, std::nullopt);
}

asio::awaitable<void> CommandRun::type(const Foreground& foreground) {
  nested_ = foreground.kind != Foreground::Kind::shell;
  record_.shell_pid = foreground.pid;
  const ShellCommand command{text_,           record_.nonce,   tab_->files.directory(),
                             context_.helper, tab_->last_exit, exit_lost_};
  record_.typed_byte = tab_->log.counted_end();
  record_.start_byte = record_.typed_byte;
  record_.end_byte = record_.typed_byte;
  record_.started_at_ms = wall_clock_ms();
  record_.cwd = process_cwd(foreground.pid);
  record_.started_steady_ms = steady_ms(Clock::now());
  record_.started_ticks = ticks_since_boot();
  record_.older_jobs = child_processes(foreground.pid);
  if (foreground.reads_our_files) {
    tag_process(foreground.pid, command_tag(tab_->tag, record_.nonce));
  }
  read_ = record_.typed_byte;
  scanner_.emplace(record_.nonce, read_);
  save_record();  // before it can begin: whatever becomes of us, the next server looks after it
  if (!foreground.reads_our_files) {
    co_await type_in_lines(command, foreground);
    co_return;
  }
  script_ = shell_script(*foreground.shell, command);
  write_files();
  // First what a person left is cleared away; a shell that still does not answer has its builtins hidden.
  const std::string& line = attempt_ == 1 ? script_.typed_line : script_.mending_line;
  TypedWith with = typed_with(foreground, tab_->tty);
  if (attempt_ > 1) {
    with.enter = '\n';  // C-j: Enter may be bound to something else
  }
  co_await type_now(std::string(with.clear) + line + with.enter, foreground);
}

void CommandRun::write_files() const {
  tab_->files.write(script_, record_.nonce);
  if (!nested_) {
    tab_->files.mark_running(record_.nonce, record_.cwd);
  }
}

asio::awaitable<void> CommandRun::type_in_lines(const ShellCommand& command, const Foreground& foreground) {
  if (text_.size() > kInlineLimitBytes) {
    throw Error(ErrorCode::invalid_argument,
                "command: " + std::to_string(text_.size()) +
                    " bytes are too many for a shell behind ssh, su or docker; at most " +
                    std::to_string(kInlineLimitBytes) + " are allowed there");
  }
  script_ = ShellScript();
  std::string lines(kClearLine);
  if (attempt_ > 1) {
    lines += " \\unset -f command printf base64 || \\:; ";  // what we call may be hidden by functions
  }
  for (const std::string& line : inline_lines(command)) {
    lines += line + "\r";
  }
  co_await type_now(lines, foreground);
}

asio::awaitable<void> CommandRun::type_now(std::string bytes, const Foreground& foreground) {
  auto failure = co_await try_to_type(bytes);
  // A shell of this machine was at its prompt: what left its screen is gone (killed, or a lone `tput smcup`).
  // It may be in a step of its prompt just now: then we look again.
  const auto give_up_at = Clock::now() + kLeavesFullScreen;
  while (failure && were_not_typed(*failure) && foreground.kind != Foreground::Kind::gateway &&
         Clock::now() < give_up_at) {
    const Foreground now = look_at_foreground(tab_->pane_pid);
    if (now.pid == foreground.pid && prompt_state(now, tab_->tty) == Prompt::ready) {
      print_in_terminal(tab_->tty, kLeaveFullScreen);
    }
    co_await sleep_for(kTmuxReads);
    failure = co_await try_to_type(bytes);
  }
  if (failure) {
    tab_->files.remove(record_.nonce);  // a late delivery runs nothing
    throw why_not_typed(*failure, *tab_);
  }
}

/// Not while a full-screen program is shown.
asio::awaitable<std::optional<Error>> CommandRun::try_to_type(const std::string& bytes) {
  std::optional<Error> failure;
  try {
    co_await tmux_.change(type_bytes(to_string(tab_->pane), bytes, "#{alternate_on}"));
  } catch (const Error& error) {
    failure = error;
  }
  co_return failure;
}

asio::awaitable<CommandRun::Began> CommandRun::wait_until_it_begins(const Foreground& foreground) {
  const auto typed = Clock::now();
  const bool in_files = foreground.reads_our_files;
  for (;;) {
    const bool ended = pump();
    if (began_) {
      co_return Began::yes;
    }
    if (ended) {
      end_marker_.reset();
      co_return Began::shell_died;
    }
    if (in_files && tab_->files.exit_code(record_.nonce)) {
      co_return Began::yes;  // START was lost (a full disk): the exit code is known all the same
    }
    const auto waited = Clock::now() - typed;
    const Foreground now = look_at_foreground(tab_->pane_pid);
    if (now.kind == Foreground::Kind::nothing) {
      tab_->files.remove(record_.nonce);
      throw Error(ErrorCode::tab_closed,
                  "tab " + to_string(tab_->window) + " was closed before the command began");
    }
    const bool shell_waits = now.pid == foreground.pid && prompt_state(now, tab_->tty) != Prompt::not_yet;
    if (in_files ? waited > kUnanswered && shell_waits : waited > kUnansweredInline) {
      co_return Began::no;
    }
    if (in_files && waited > kUnansweredAtAll) {
      co_return Began::yes;  // something runs: START is late (a stopped log writer) or lost. Never twice.
    }
    co_await finish_by(Clock::now() + Milliseconds(100), watch_.changed());
  }
}

/// Takes away whatever took our line: an unclosed quote, a search, a half-typed command in an editor's
/// command mode.
asio::awaitable<void> CommandRun::clear_prompt() {
  co_await tmux_.change(type_bytes(to_string(tab_->pane), "\x03"));
  co_await finish_by(Clock::now() + Milliseconds(300), watch_.changed());
  co_await sleep_for(Milliseconds(50));
}

}  // namespace terminally
