// Types text and keys into whatever has the foreground of a tab.

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "command/awaiting_input.hpp"
#include "command/command_run.hpp"
#include "command/prompt.hpp"
#include "system/terminal.hpp"
#include "tab/hold.hpp"
#include "tab/keyboard_look.hpp"
#include "tab/tab_turns.hpp"
#include "text/typed_text.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/tab_keyboard.hpp"
#include "tmux/tabs/tabs.hpp"
#include "tmux/wire/keys.hpp"

namespace terminally {
namespace {

/// How long text waits for a command that is being typed to have begun, so that it does not land in between.
constexpr Milliseconds kBegins{10'000};
/// A process that has the turn and begins nothing at the prompt for so long stands still.
constexpr Milliseconds kStandsStill{2'000};

/// A program that waits at two looks so far apart is not just passing by.
constexpr Milliseconds kStillWaits{5};

/// Who waits for the keyboard, with nothing typed there that it could still read.
std::optional<AwaitingInput> input_taker(const Tab& tab) {
  const auto awaiting = unread_input(tab.tty) > 0 ? std::nullopt : awaiting_input(tab);
  return awaiting && awaiting->kind == AwaitingInput::Kind::stopped ? std::nullopt : awaiting;
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

bool has_signal_key(const std::vector<std::string>& keys) {
  return std::ranges::any_of(keys, [](const std::string& key) {
    return key.size() == 3 && (key[0] == 'C' || key[0] == 'c') && key[1] == '-' &&
           std::string_view("cCzZ\\").find(key[2]) != std::string_view::npos;
  });
}

/// Whether a program takes what is typed, so that nothing of it is left for the prompt: it reads keys, or
/// waits for them. What may end it (C-c) is not counted: its end is then told as somebody's.
bool is_taken_by_program(const Tab& tab, std::string_view typed) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const bool program = foreground.kind == Foreground::Kind::program || foreground.runs_program;
  const bool asks = program || foreground.kind == Foreground::Kind::shell;  // `read`
  const auto mode = terminal_mode(tab.tty);
  const bool takes = mode && ((program && !mode->line) || (asks && awaiting_input(tab)));
  return takes && typed.find_first_of("\x03\x1a\x1c") == std::string_view::npos;
}

/// The tab's lock when nobody has it, so that no command is typed into the text. A call that waits for its
/// command has it, and may be what the text answers: then only the typing of that command is waited for,
/// which may be about to begin at the prompt.
Awaitable<TabTurns::Guard> lock_for_typing(const InputCalls::Parts& parts, TabPtr tab, CallTime time) {
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
  auto at_work = Clock::now();
  const auto elsewhere = [&] {
    at_work = look_at_shell(*tab).at == ShellAt::prompt ? at_work : Clock::now();
    return Clock::now() - at_work < kStandsStill && !tab->files.running_nonce() &&
           parts.turns.taken_elsewhere(*tab);
  };
  const auto called = [&] {
    return parts.turns.called(tab->window) || parts.turns.taken(tab->window) || elsewhere();
  };
  while (called() && begins() && Clock::now() < begins_by) {
    if (Clock::now() >= time.short_patience()) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab->window) +
                                       ": a command is just being typed there; nothing was sent. Try again");
    }
    co_await sleep_for(Milliseconds(5));
  }
  TabTurns::Guard guard = co_await parts.turns.try_lock(tab);
  co_return guard;
}

Awaitable<SentInput> type_text(const InputCalls::Parts& parts, SendText request) {
  check_text(request.text, request.allow_control);
  const CallTime time = parts.times.call_time();
  const TabPtr tab = co_await parts.tabs.find_open(request.window_id);
  refuse_if_held(*tab);
  const auto guard = co_await lock_for_typing(parts, tab, time);
  const std::string text = with_enter_keys(request.text, request.submit);
  if (const auto mode = terminal_mode(tab->tty); mode && mode->line) {
    check_line_lengths(text);
  }
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->shell.was_sent_input(Clock::now());
  tab->sent.add(tab->log, echoed_by(*tab), sent.from_byte, request.submit ? text + "\n" : text,
                is_for_paste(text));
  const TabKeyboard keyboard(parts.tabs.client_of(*tab), tab, is_taken_by_program(*tab, text));
  sent.sent = request.text.size();
  if (is_at_its_prompt(*tab)) {
    sent.notes.emplace_back(
        "typed at the shell's prompt, as a person would; execute_command gives the output and the exit code "
        "of a command");
  }
  if (const auto awaiting = awaiting_input(*tab);
      awaiting && awaiting->kind == AwaitingInput::Kind::stopped) {
    sent.notes.push_back(how_to_answer(*awaiting));
  }
  if (!text.empty()) {
    co_await keyboard.paste(text, is_for_paste(text), request.submit);
  } else if (request.submit) {
    co_await keyboard.type("send-keys -t " + quote(to_string(tab->pane)) + " Enter");
  }
  co_return sent;
}

Awaitable<SentInput> type_keys(const InputCalls::Parts& parts, SendKeys request) {
  if (request.keys.empty()) {
    throw Error(ErrorCode::invalid_argument, "keys: must not be empty");
  }
  static_cast<void>(send_keys_command("", request.keys));  // what is wrong is said before any waiting
  const CallTime time = parts.times.call_time();
  const TabPtr tab = co_await parts.tabs.find_open(request.window_id);
  refuse_if_held(*tab);
  const auto guard = co_await lock_for_typing(parts, tab, time);
  SentInput sent;
  sent.from_byte = tab->log.counted_end();
  tab->shell.was_sent_input(Clock::now());
  tab->sent.add(tab->log, echoed_by(*tab), sent.from_byte, typed_by_keys(request.keys), false);
  const TabKeyboard keyboard(parts.tabs.client_of(*tab), tab,
                             !has_signal_key(request.keys) && is_taken_by_program(*tab, {}));
  sent.sent = request.keys.size();
  co_await keyboard.type(send_keys_command(to_string(tab->pane), request.keys));
  co_return sent;
}

bool takes(const std::optional<AwaitingInput>& awaiting, const std::optional<LineReader>& only) {
  if (!awaiting || !only) {
    return awaiting.has_value();
  }
  const bool asks_it =
      !only->prompt || awaiting->prompt.empty() || awaiting->prompt.starts_with(*only->prompt);
  return awaiting->pid == only->pid && asks_it &&
         (!only->is_secret || awaiting->kind == AwaitingInput::Kind::password);
}

Awaitable<OfferedKeys> type_if_awaited(const InputCalls::Parts& parts, WindowId window, std::string typed,
                                       std::optional<LineReader> only) {
  const TabPtr tab = co_await parts.tabs.find_open(window);
  std::string nonce = tab->files.running_nonce().value_or("");  // before the look
  std::optional<AwaitingInput> awaiting = input_taker(*tab);
  if (takes(awaiting, only)) {
    co_await sleep_for(kStillWaits);
    awaiting = input_taker(*tab);  // it may have been on its way to something else
  }
  const auto mode = takes(awaiting, only) ? terminal_mode(tab->tty) : std::nullopt;
  if (!mode || typed.empty() || (only && only->is_secret && mode->echo)) {
    co_return OfferedKeys{};
  }
  const bool by_line = mode->line || awaiting->kind != AwaitingInput::Kind::program;
  std::string first = first_to_type(std::move(typed), by_line, !mode->line || mode->cr_is_enter);
  tab->shell.was_sent_input(Clock::now());
  const TabKeyboard keyboard(parts.tabs.client_of(*tab), tab);
  const OfferedKeys offered = co_await keyboard.offer(std::move(first), std::move(nonce));
  co_return offered;
}

Awaitable<OfferedKeys> type_whatever_reads(const InputCalls::Parts& parts, WindowId window,
                                           std::string typed) {
  const TabPtr tab = co_await parts.tabs.find_open(window);
  tab->shell.was_sent_input(Clock::now());
  const TabKeyboard keyboard(parts.tabs.client_of(*tab), tab);
  const OfferedKeys offered = co_await keyboard.offer(std::move(typed), "");
  co_return offered;
}

}  // namespace

Awaitable<SentInput> InputCalls::send_text(SendText request) {
  return parts_.times.within_call_time(type_text(parts_, std::move(request)));
}

Awaitable<SentInput> InputCalls::send_keys(SendKeys request) {
  return parts_.times.within_call_time(type_keys(parts_, std::move(request)));
}

Awaitable<OfferedKeys> InputCalls::offer_keys(WindowId tab, std::string typed) {
  return parts_.times.within_call_time(type_if_awaited(parts_, tab, std::move(typed), std::nullopt));
}

Awaitable<OfferedKeys> InputCalls::offer_line(WindowId tab, std::string line, LineReader reader) {
  return parts_.times.within_call_time(type_if_awaited(parts_, tab, std::move(line), std::move(reader)));
}

Awaitable<OfferedKeys> InputCalls::type_as_terminal(WindowId tab, std::string typed) {
  return parts_.times.within_call_time(type_whatever_reads(parts_, tab, std::move(typed)));
}

}  // namespace terminally
