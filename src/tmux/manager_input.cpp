// The keyboard and the screen of a tab: text and keys for whatever has the foreground, and what a person
// sees.

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/command_mark.hpp"
#include "tmux/keys.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/masking.hpp"
#include "tmux/prompt.hpp"
#include "tmux/screen_text.hpp"
#include "tmux/tty_wait.hpp"
#include "tmux/typed_keys.hpp"
#include "tmux/typed_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How long text waits for a command that is being typed to have begun, so that it does not land in between.
constexpr Milliseconds kBegins{10'000};

/// How long a shell may take to its prompt, and that to be in the log.
constexpr Milliseconds kPromptComes{10'000};
constexpr Milliseconds kPromptIsLogged{1'000};
/// How long the shell may take to read a paste, and how often we look whether it has.
constexpr Milliseconds kPasteIsRead{1'000};
constexpr Milliseconds kPasteLook{10};
constexpr int kQuietLooks = 2;
/// A program that waits at two looks so far apart is not just passing by.
constexpr Milliseconds kStillWaits{5};
/// How often what runs in a command may set the pane's path while a text is sent.
constexpr int kPathChanges = 3;
/// More than any prompt is long.
constexpr std::uint64_t kSinceEndBytes = std::uint64_t{16} * 1024;

/// Who waits for the keyboard, with nothing typed there that it could still read.
std::optional<AwaitingInput> input_taker(const Tab& tab) {
  return unread_input(tab.tty) > 0 ? std::nullopt : awaiting_input(tab);
}

/// What tmux answers about the tab. Throws Error(tab_closed) where it has none, or is gone.
asio::awaitable<std::string> answer_about(const Tab& tab, asio::awaitable<std::string> asked) {
  try {
    co_return co_await std::move(asked);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
  }
  throw Error(ErrorCode::tab_closed,
              "tab " + to_string(tab.window) + " is closed; its log can still be read");
}

/// What of the keys goes at once: a line where lines are read, else a key. Behind the first, the program may
/// have ended. A NUL goes alone (type_bytes).
std::string first_to_type(std::string typed, bool by_line, bool cr_is_enter) {
  const std::size_t key = first_key(typed).bytes;
  const std::size_t first = by_line ? first_line(typed) : key > 0 ? key : typed.size();
  typed.resize(std::max<std::size_t>(1, std::min(first, typed.find('\0'))));
  if (!cr_is_enter) {
    std::ranges::replace(typed, '\r', '\n');
  }
  return typed;
}

/// Or on its way there: fish takes a while from the end of a command to its prompt.
bool is_at_its_prompt(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return tab.runs.empty() && !tab.files.running_nonce() && foreground.kind == Foreground::Kind::shell &&
         prompt_state(foreground, tab.tty) != Prompt::reads_keyboard;
}

}  // namespace

/// Runs commands that type something into a tab. In copy mode typed keys are swallowed: it is left first.
TmuxManager::Awaitable<void> TmuxManager::Impl::type(const Tab& tab, std::string commands) {
  const TmuxClient tmux = tmux_of(tab);
  co_await answer_about(tab, tmux.change("copy-mode -q -t " + quote(to_string(tab.pane)) + " ; " + commands));
}

/// Through a buffer of tmux's: send-keys takes 16 KB at most. Every newline is typed as Enter (CR), also
/// inside a bracketed paste, as terminals do it. The text may be a password: it stays nowhere.
TmuxManager::Awaitable<void> TmuxManager::Impl::paste_text(const Tab& tab, const std::string& text,
                                                           bool bracketed, bool enter, std::string unless) {
  const std::string name = "paste-" + random_hex(8);
  const auto file = tab.files.directory() / name;
  const std::string pane = quote(to_string(tab.pane));
  write_file(file, text);
  const std::string commands =
      "load-buffer -b " + name + " " + quote(file.string()) + " ; " +
      (unless.empty() ? "" : drop_buffer_if(to_string(tab.pane), unless, name) + " ; ") + "paste-buffer " +
      (bracketed ? "-p " : "") + "-d -b " + name + " -t " + pane +
      (enter ? " ; send-keys -t " + pane + " Enter" : "");
  std::exception_ptr failure;
  try {
    co_await type(tab, commands);  // where the tab is gone, no buffer is made
  } catch (...) {
    failure = std::current_exception();
  }
  remove_file(file);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// Where a command waits for the text, tmux types it only while that goes on: it is not for the prompt after
/// it.
TmuxManager::Awaitable<void> TmuxManager::Impl::paste_for_reader(const Tab& tab, std::string text,
                                                                 bool bracketed, bool enter) {
  for (int attempt = 0; attempt < kPathChanges; ++attempt) {
    const std::string nonce = tab.files.running_nonce().value_or("");  // before the look
    const bool waits = !nonce.empty() && awaiting_input(tab);
    if (attempt > 0 && !waits) {
      break;
    }
    std::string unless = waits ? may_have_ended(nonce) : std::string();
    std::optional<Error> failure;
    try {
      co_await paste_text(tab, text, bracketed, enter, std::move(unless));
    } catch (const Error& error) {
      failure = error;
    }
    if (!failure) {
      co_return;
    }
    if (!waits || !were_not_typed(*failure)) {
      throw Error(*failure);
    }
    co_await type(tab, take_path_over(to_string(tab.pane), nonce));
  }
  throw Error(ErrorCode::busy,
              "the command in tab " + to_string(tab.window) +
                  " that waited for the text may have ended before tmux could type it; nothing was sent. "
                  "Send it again if it is for what is there now (read_screen)");
}

/// What the editor prints at its prompt is in the log a moment after it waits there.
TmuxManager::Awaitable<bool> TmuxManager::Impl::takes_lines(const Tab& tab, const Foreground& shell) {
  const auto patience = Clock::now() + kPromptIsLogged;
  const bool has_editor = shell.shell && *shell.shell != ShellKind::posix;
  bool takes = false;
  while (has_editor && !takes && Clock::now() < patience) {
    const std::uint64_t end = tab.log.end();
    takes = takes_pasted_lines(read_range(tab.log, end - std::min(end, kSinceEndBytes), end));
    if (!takes) {
      co_await sleep_for(Milliseconds(10));
    }
  }
  co_return takes;
}

/// Puts the text on the prompt's line and does not submit it. Whether the shell was seen to have read all of
/// it: a key that came before could cut the paste, and what is left of it would be typed.
TmuxManager::Awaitable<bool> TmuxManager::Impl::paste(const Tab& tab, const std::string& text) {
  const Foreground shell = co_await wait_for_prompt(tab, Clock::now() + kPromptComes);
  const auto lines = std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  const bool fits = lines == 0 || co_await takes_lines(tab, shell);
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                "command: has " + std::to_string(lines) + (lines == 1 ? " newline" : " newlines") + ", and " +
                    shell.name + " in tab " + to_string(tab.window) +
                    " would run each line (it has no bracketed paste); nothing was typed. Give one line, or "
                    "run the text with append_newline: true");
  }
  if (const auto mode = terminal_mode(tab.tty); mode && mode->line) {
    check_line_lengths(text, "command");
  }
  const std::uint64_t before = tab.log.end();
  co_await paste_text(tab, text, true, false);
  const auto patience = Clock::now() + kPasteIsRead;
  std::uint64_t end = before;
  for (int quiet = 0; Clock::now() < patience;) {
    co_await sleep_for(kPasteLook);
    const bool read = tab.log.end() == end && end != before && unread_input(tab.tty) == 0 &&
                      prompt_state(look_at_foreground(tab.pane_pid), tab.tty) == Prompt::ready;
    end = tab.log.end();
    quiet = read ? quiet + 1 : 0;
    if (quiet == kQuietLooks) {
      co_return true;
    }
  }
  co_return false;
}

/// The tab's lock when nobody has it, so that no command is typed into the text. A call that waits for its
/// command has it, and may be what the text answers: then only the typing of that command is waited for.
TmuxManager::Awaitable<KeyedMutex<WindowId>::Guard> TmuxManager::Impl::lock_for_typing(const TabPtr& tab,
                                                                                       CallTime time) {
  if (!tab_mutex_.locked(tab->window)) {
    KeyedMutex<WindowId>::Guard guard = co_await tab_mutex_.lock(tab->window);
    co_return guard;
  }
  const auto begins_by = Clock::now() + kBegins;
  const auto being_typed = [](const RunPtr& run) {
    return !run->has_ended() && run->record().start_byte == run->record().typed_byte;
  };
  while (std::any_of(tab->runs.begin(), tab->runs.end(), being_typed) && Clock::now() < begins_by) {
    if (Clock::now() >= time.short_patience()) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab->window) +
                                       ": a command is just being typed there; nothing was sent. Try again");
    }
    co_await sleep_for(Milliseconds(5));
  }
  co_return KeyedMutex<WindowId>::Guard();
}

TmuxManager::Awaitable<SentInput> TmuxManager::Impl::send_text(SendText request) {
  check_text(request.text, request.allow_control);
  const CallTime time = call_time();
  const TabPtr tab = co_await open_tab(request.window_id);
  const auto guard = co_await lock_for_typing(tab, time);
  const std::string text = with_enter_keys(request.text, request.submit);
  if (const auto mode = terminal_mode(tab->tty); mode && mode->line) {
    check_line_lengths(text);
  }
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->last_input = Clock::now();
  sent.sent = request.text.size();
  if (is_at_its_prompt(*tab)) {
    sent.notes.emplace_back(
        "typed at the shell's prompt, as a person would; execute_command gives the output and the exit code "
        "of a command");
  }
  if (!text.empty()) {
    co_await paste_for_reader(*tab, text, is_for_paste(text), request.submit);
  } else if (request.submit) {
    co_await type(*tab, "send-keys -t " + quote(to_string(tab->pane)) + " Enter");
  }
  co_return sent;
}

TmuxManager::Awaitable<SentInput> TmuxManager::Impl::send_keys(SendKeys request) {
  if (request.keys.empty()) {
    throw Error(ErrorCode::invalid_argument, "keys: must not be empty");
  }
  static_cast<void>(send_keys_command("", request.keys));  // what is wrong is said before any waiting
  const CallTime time = call_time();
  const TabPtr tab = co_await open_tab(request.window_id);
  const auto guard = co_await lock_for_typing(tab, time);
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->last_input = Clock::now();
  sent.sent = request.keys.size();
  co_await type(*tab, send_keys_command(to_string(tab->pane), request.keys));
  co_return sent;
}

TmuxManager::Awaitable<OfferedKeys> TmuxManager::Impl::offer_keys(WindowId window, std::string typed) {
  const TabPtr tab = co_await open_tab(window);
  std::string nonce = tab->files.running_nonce().value_or("");  // before the look
  std::optional<AwaitingInput> awaiting = input_taker(*tab);
  if (awaiting) {
    co_await sleep_for(kStillWaits);
    awaiting = input_taker(*tab);  // it may have been on its way to something else
  }
  const auto mode = awaiting ? terminal_mode(tab->tty) : std::nullopt;
  if (!mode || typed.empty()) {
    co_return OfferedKeys{};
  }
  const bool by_line = mode->line || awaiting->kind != AwaitingInput::Kind::program;
  std::string first = first_to_type(std::move(typed), by_line, !mode->line || mode->cr_is_enter);
  tab->last_input = Clock::now();
  const OfferedKeys offered = co_await type_for(*tab, std::move(first), std::move(nonce));
  co_return offered;
}

/// Types it while the command of this nonce goes on.
TmuxManager::Awaitable<OfferedKeys> TmuxManager::Impl::type_for(const Tab& tab, std::string typed,
                                                                std::string nonce) {
  const std::string pane = to_string(tab.pane);
  const std::string unless = nonce.empty() ? std::string() : may_have_ended(nonce);
  std::optional<Error> failure;
  try {
    co_await type(tab,
                  type_bytes(pane, typed, unless) + " ; set -p -t " + quote(pane) + " @terminally_seen sent");
  } catch (const Error& error) {
    failure = error;
  }
  if (!failure) {
    co_return OfferedKeys{OfferedKeys::Fate::typed, typed.size()};
  }
  if (were_not_typed(*failure)) {
    co_await type(tab, take_path_over(pane, nonce));
    co_return OfferedKeys{};
  }
  const bool not_asked = failure->code() == ErrorCode::tab_closed || failure->code() == ErrorCode::io;
  co_return not_asked ? OfferedKeys{} : OfferedKeys{OfferedKeys::Fate::unknown, typed.size()};
}

TmuxManager::Awaitable<TabScreen> TmuxManager::Impl::read_screen(ReadScreen request) {
  const CallTime time = call_time();
  const TabPtr tab = co_await open_tab(request.window_id);
  const std::string commands = screen_query(to_string(tab->pane), request);
  const TmuxClient tmux = tmux_of(*tab);
  std::string answer = co_await answer_about(*tab, tmux.query(commands));
  std::optional<TabScreen> screen =
      co_await text_worker_.screen(std::move(answer), std::move(request), time.returns_by());
  if (!screen) {
    throw Error(ErrorCode::busy,
                "the text of the screen was not ready when the time of this call was over (one thread makes "
                "all long texts, the shortest first); try again, or with fewer scrollback_lines");
  }
  co_return std::move(*screen);
}

}  // namespace terminally
