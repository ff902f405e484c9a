// The keyboard and the screen of a tab: text and keys for whatever has the foreground, and what a person
// sees.

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "command/awaiting_input.hpp"
#include "command/prompt.hpp"
#include "log/masking.hpp"
#include "server/keys.hpp"
#include "system/tty_wait.hpp"
#include "text/typed_keys.hpp"
#include "text/typed_text.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"
#include "tmux/screen_text.hpp"
#include "tmux/tab_keyboard.hpp"

namespace terminally {
namespace {

/// How long text waits for a command that is being typed to have begun, so that it does not land in between.
constexpr Milliseconds kBegins{10'000};

/// A program that waits at two looks so far apart is not just passing by.
constexpr Milliseconds kStillWaits{5};

/// Who waits for the keyboard, with nothing typed there that it could still read.
std::optional<AwaitingInput> input_taker(const Tab& tab) {
  return unread_input(tab.tty) > 0 ? std::nullopt : awaiting_input(tab);
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

/// At its prompt, or on its way there: fish takes a while from the end of a command to its prompt.
bool shell_is_idle(const Tab& tab) {
  const ShellAt at = look_at_shell(tab).at;
  return comes_to_prompt(at) && at != ShellAt::reads;
}

bool is_at_its_prompt(const Tab& tab) {
  return tab.runs.empty() && !tab.files.running_nonce() && shell_is_idle(tab);
}

/// The tab's lock when nobody has it, so that no command is typed into the text. A call that waits for its
/// command has it, and may be what the text answers: then only the typing of that command is waited for,
/// which may be about to begin at the prompt.
Awaitable<TabTurns::Guard> lock_for_typing(ManagerParts& manager, TabPtr tab, CallTime time) {
  const auto begins_by = Clock::now() + kBegins;
  const auto being_typed = [](const RunPtr& run) {
    return !run->has_ended() && run->record().start_byte == run->record().typed_byte;
  };
  const auto goes_on = [](const RunPtr& run) { return !run->has_ended() && !run->output().end(); };
  // One that has just ended may still be listed, and its files be there: that says nothing of the next one.
  const auto begins = [&] {
    return std::ranges::any_of(tab->runs, being_typed) ||
           (std::ranges::none_of(tab->runs, goes_on) && shell_is_idle(*tab));
  };
  const auto called = [&] { return manager.turns.called(tab->window) || manager.turns.taken(tab->window); };
  while (called() && begins() && Clock::now() < begins_by) {
    if (Clock::now() >= time.short_patience()) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab->window) +
                                       ": a command is just being typed there; nothing was sent. Try again");
    }
    co_await sleep_for(Milliseconds(5));
  }
  if (manager.turns.taken(tab->window)) {
    co_return TabTurns::Guard();
  }
  TabTurns::Guard guard = co_await manager.turns.lock(tab->window);
  co_return guard;
}

Awaitable<SentInput> type_text(ManagerParts& manager, SendText request) {
  check_text(request.text, request.allow_control);
  const CallTime time = manager.call_time();
  const TabPtr tab = co_await manager.tabs.find_open(request.window_id);
  const auto guard = co_await lock_for_typing(manager, tab, time);
  const std::string text = with_enter_keys(request.text, request.submit);
  if (const auto mode = terminal_mode(tab->tty); mode && mode->line) {
    check_line_lengths(text);
  }
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->shell.was_sent_input(Clock::now());
  const TabKeyboard keyboard(manager.server.client_of(*tab), tab);
  sent.sent = request.text.size();
  if (is_at_its_prompt(*tab)) {
    sent.notes.emplace_back(
        "typed at the shell's prompt, as a person would; execute_command gives the output and the exit code "
        "of a command");
  }
  if (!text.empty()) {
    co_await keyboard.paste(text, is_for_paste(text), request.submit);
  } else if (request.submit) {
    co_await keyboard.type("send-keys -t " + quote(to_string(tab->pane)) + " Enter");
  }
  co_return sent;
}

Awaitable<SentInput> type_keys(ManagerParts& manager, SendKeys request) {
  if (request.keys.empty()) {
    throw Error(ErrorCode::invalid_argument, "keys: must not be empty");
  }
  static_cast<void>(send_keys_command("", request.keys));  // what is wrong is said before any waiting
  const CallTime time = manager.call_time();
  const TabPtr tab = co_await manager.tabs.find_open(request.window_id);
  const auto guard = co_await lock_for_typing(manager, tab, time);
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->shell.was_sent_input(Clock::now());
  const TabKeyboard keyboard(manager.server.client_of(*tab), tab);
  sent.sent = request.keys.size();
  co_await keyboard.type(send_keys_command(to_string(tab->pane), request.keys));
  co_return sent;
}

Awaitable<TabScreen> screen_of(ManagerParts& manager, ReadScreen request) {
  const CallTime time = manager.call_time();
  const TabPtr tab = co_await manager.tabs.find_open(request.window_id);
  const std::string commands = screen_query(to_string(tab->pane), request);
  const std::shared_ptr<TextGuard> guard = request.guard;
  const TmuxClient tmux = manager.server.client_of(*tab);
  std::string answer = co_await answer_about(tab, tmux.query(commands));
  std::optional<TabScreen> screen =
      co_await manager.text_worker.screen(std::move(answer), std::move(request), time.returns_by());
  if (!screen) {
    throw Error(ErrorCode::busy,
                "the text of the screen was not ready when the time of this call was over (one thread makes "
                "all long texts, the shortest first); try again, or with fewer scrollback_lines");
  }
  if (guard) {
    guard->count(screen->masked);
  }
  co_return std::move(*screen);
}

Awaitable<OfferedKeys> type_if_awaited(ManagerParts& manager, WindowId window, std::string typed) {
  const TabPtr tab = co_await manager.tabs.find_open(window);
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
  tab->shell.was_sent_input(Clock::now());
  const TabKeyboard keyboard(manager.server.client_of(*tab), tab);
  const OfferedKeys offered = co_await keyboard.offer(std::move(first), std::move(nonce));
  co_return offered;
}

}  // namespace

Awaitable<SentInput> TmuxManager::send_text(SendText request) {
  return parts_->within_call_time(type_text(*parts_, std::move(request)));
}

Awaitable<SentInput> TmuxManager::send_keys(SendKeys request) {
  return parts_->within_call_time(type_keys(*parts_, std::move(request)));
}

Awaitable<OfferedKeys> TmuxManager::offer_keys(WindowId tab, std::string typed) {
  return parts_->within_call_time(type_if_awaited(*parts_, tab, std::move(typed)));
}

Awaitable<TabScreen> TmuxManager::read_screen(ReadScreen request) {
  return parts_->within_call_time(screen_of(*parts_, std::move(request)));
}

}  // namespace terminally
