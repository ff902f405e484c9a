#include "tmux/tab_keyboard.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "command/awaiting_input.hpp"
#include "command/prompt.hpp"
#include "log/masking.hpp"
#include "system/terminal.hpp"
#include "text/typed_text.hpp"
#include "tmux/wire/command_mark.hpp"
#include "tmux/wire/others_typed.hpp"

namespace terminally {
namespace {

/// How long the shell may take to read a paste, and how often we look whether it has.
constexpr Milliseconds kPasteIsRead{1'000};
constexpr Milliseconds kPasteLook{10};
constexpr int kQuietLooks = 2;
/// How often what runs in a command may set the pane's path while a text is sent.
constexpr int kPathChanges = 3;
/// More than any prompt is long.
constexpr std::uint64_t kSinceEndBytes = std::uint64_t{16} * 1024;

/// What the editor prints at its prompt is in the log a moment after it waits there.
Awaitable<bool> takes_lines(std::shared_ptr<const Tab> tab, Foreground shell) {
  const auto patience = Clock::now() + shell_times::kStep;
  const bool has_editor = shell.shell && *shell.shell != ShellKind::posix;
  bool takes = false;
  while (has_editor && !takes && Clock::now() < patience) {
    const std::uint64_t end = tab->log.end();
    takes = takes_pasted_lines(read_range(tab->log, end - std::min(end, kSinceEndBytes), end));
    if (!takes) {
      co_await sleep_for(Milliseconds(10));
    }
  }
  co_return takes;
}

}  // namespace

Awaitable<std::string> answer_about(std::shared_ptr<const Tab> tab, Awaitable<std::string> asked) {
  try {
    co_return co_await std::move(asked);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
  }
  throw Error(ErrorCode::tab_closed,
              "tab " + to_string(tab->window) + " is closed; its log can still be read");
}

TabKeyboard::TabKeyboard(TmuxClient tmux, std::shared_ptr<const Tab> tab, bool to_program)
    : tmux_(std::move(tmux)), tab_(std::move(tab)), to_program_(to_program) {}

Awaitable<void> TabKeyboard::type(std::string commands) const {
  const std::string target = "-t " + quote(to_string(tab_->pane));
  if (to_program_) {
    commands = without_touch(target, commands);
  }
  co_await answer_about(tab_, tmux_.change("copy-mode -q " + target + " ; " + commands));
}

/// Through a buffer of tmux's: send-keys takes 16 KB at most. Every newline is typed as Enter (CR), also
/// inside a bracketed paste, as terminals do it. The text may be a password: it stays nowhere.
Awaitable<void> TabKeyboard::paste_unless(std::string text, bool bracketed, bool enter,
                                          std::string unless) const {
  const std::string name = "paste-" + random_hex(8);
  const auto file = tab_->files.runtime() / name;
  const std::string pane = quote(to_string(tab_->pane));
  write_file(file, text);
  const std::string commands =
      "load-buffer -b " + name + " " + quote(file.string()) + " ; " +
      (unless.empty() ? "" : drop_buffer_if(to_string(tab_->pane), unless, name) + " ; ") + "paste-buffer " +
      (bracketed ? "-p " : "") + "-d -b " + name + " -t " + pane +
      (enter ? " ; send-keys -t " + pane + " Enter" : "");
  std::exception_ptr failure;
  try {
    co_await type(commands);  // where the tab is gone, no buffer is made
  } catch (...) {
    failure = std::current_exception();
  }
  remove_file(file);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

Awaitable<void> TabKeyboard::paste(std::string text, bool bracketed, bool enter) const {
  for (int attempt = 0; attempt < kPathChanges; ++attempt) {
    const std::string nonce = tab_->files.running_nonce().value_or("");  // before the look
    const bool waits = !nonce.empty() && awaiting_input(*tab_);
    if (attempt > 0 && !waits) {
      break;
    }
    std::string unless = waits ? may_have_ended(nonce) : std::string();
    std::optional<Error> failure;
    try {
      co_await paste_unless(text, bracketed, enter, std::move(unless));
    } catch (const Error& error) {
      failure = error;
    }
    if (!failure) {
      co_return;
    }
    if (!waits || !were_not_typed(*failure)) {
      throw Error(*failure);
    }
    co_await type(take_path_over(to_string(tab_->pane), nonce));
  }
  throw Error(ErrorCode::busy,
              "the command in tab " + to_string(tab_->window) +
                  " that waited for the text may have ended before tmux could type it; nothing was sent. "
                  "Send it again if it is for what is there now (read_screen)");
}

Awaitable<bool> TabKeyboard::paste_at_prompt(std::string text, Clock::time_point give_up_at) const {
  const Foreground shell = co_await wait_for_prompt(*tab_, give_up_at);
  const auto lines = std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  const bool fits = lines == 0 || co_await takes_lines(tab_, shell);
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                "command: has " + std::to_string(lines) + (lines == 1 ? " newline" : " newlines") + ", and " +
                    shell.name + " in tab " + to_string(tab_->window) +
                    " would run each line (it has no bracketed paste); nothing was typed. Give one line, or "
                    "run the text with append_newline: true");
  }
  if (const auto mode = terminal_mode(tab_->tty); mode && mode->line) {
    check_line_lengths(text, "command");
  }
  const std::uint64_t before = tab_->log.end();
  co_await paste_unless(text, true, false, std::string());
  const auto patience = Clock::now() + kPasteIsRead;
  std::uint64_t end = before;
  for (int quiet = 0; Clock::now() < patience;) {
    co_await sleep_for(kPasteLook);
    const bool read = tab_->log.end() == end && end != before && unread_input(tab_->tty) == 0 &&
                      prompt_state(look_at_foreground(tab_->pane_pid), tab_->tty) == Prompt::ready;
    end = tab_->log.end();
    quiet = read ? quiet + 1 : 0;
    if (quiet == kQuietLooks) {
      co_return true;
    }
  }
  co_return false;
}

Awaitable<OfferedKeys> TabKeyboard::offer(std::string typed, std::string nonce) const {
  const std::string pane = to_string(tab_->pane);
  const std::string unless = nonce.empty() ? std::string() : may_have_ended(nonce);
  std::optional<Error> failure;
  try {
    co_await type(type_bytes(pane, typed, unless) + " ; set -p -t " + quote(pane) + " @terminally_seen sent");
  } catch (const Error& error) {
    failure = error;
  }
  if (!failure) {
    co_return OfferedKeys{OfferedKeys::Fate::typed, typed.size()};
  }
  if (were_not_typed(*failure)) {
    co_await type(take_path_over(pane, nonce));
    co_return OfferedKeys{};
  }
  const bool not_asked = failure->code() == ErrorCode::tab_closed || failure->code() == ErrorCode::io;
  co_return not_asked ? OfferedKeys{} : OfferedKeys{OfferedKeys::Fate::unknown, typed.size()};
}

}  // namespace terminally
