// The keyboard and the screen of a tab: text and keys for whatever has the foreground, and what a person
// sees.

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "base/visible_text.hpp"
#include "tmux/keys.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/masking.hpp"
#include "tmux/prompt.hpp"
#include "tmux/tty_wait.hpp"
#include "tmux/typed_text.hpp"

namespace terminally {
namespace {

/// How long text waits for a command that is being typed to have begun, so that it does not land in between.
constexpr Milliseconds kBegins{10'000};

/// How long a shell may take to its prompt, and that to be in the log.
constexpr Milliseconds kPromptComes{10'000};
constexpr Milliseconds kPromptIsLogged{1'000};
/// More than any prompt is long.
constexpr std::uint64_t kSinceEndBytes = std::uint64_t{16} * 1024;

constexpr const char* kScreenFormat =
    "#{pane_height} #{pane_width} #{cursor_y} #{cursor_x} #{alternate_on} #{history_size}";

Error closed(const Tab& tab) {
  return Error(ErrorCode::tab_closed,
               "tab " + to_string(tab.window) + " is closed; its log can still be read");
}

bool is_at_its_prompt(const Tab& tab) {
  return tab.runs.empty() && !tab.files.running_nonce() &&
         look_at_foreground(tab.pane_pid).kind == Foreground::Kind::shell;
}

/// The next line of `text`, taken off it.
std::string_view take_answer_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::uint64_t take_number(std::string_view& words) {
  words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  words.remove_prefix(static_cast<std::size_t>(rest - words.data()));
  return number;
}

/// Titles are what a program likes them to be.
std::string harmless(std::string_view title) {
  std::string text;
  for (std::size_t i = 0; i < title.size();) {
    const Utf8Part part = first_utf8_part(title.substr(i));
    const std::string_view character = title.substr(i, part.bytes);
    text += part.kind != Utf8Kind::valid        ? kReplacementCharacter
            : has_control_characters(character) ? std::string_view(" ")
                                                : character;
    i += part.bytes;
  }
  return text;
}

/// What kScreenFormat, capture-pane and the title printed, one after the other.
TabScreen parse_screen(std::string_view answer, std::uint64_t scrollback_lines) {
  std::string_view numbers = take_answer_line(answer);
  TabScreen screen;
  screen.rows = take_number(numbers);
  screen.cols = take_number(numbers);
  screen.cursor_row = take_number(numbers);
  screen.cursor_col = take_number(numbers);
  screen.alternate_screen = take_number(numbers) != 0;
  std::uint64_t lines = screen.rows + std::min(scrollback_lines, take_number(numbers));
  std::string text;
  for (; lines > 0; --lines) {
    text.append(take_answer_line(answer)).append("\n");
  }
  text.resize(text.find_last_not_of('\n') + 1);
  screen.text = to_valid_utf8(text) + (text.empty() ? "" : "\n");
  if (answer.ends_with('\n')) {
    answer.remove_suffix(1);
  }
  screen.title = harmless(answer);
  return screen;
}

}  // namespace

/// Runs commands that type something into a tab. In copy mode typed keys are swallowed: it is left first.
TmuxManager::Awaitable<void> TmuxManager::Impl::type(const Tab& tab, std::string commands) {
  bool gone = false;
  try {
    const TmuxClient tmux = tmux_of(tab);
    co_await tmux.change("copy-mode -q -t " + quote(to_string(tab.pane)) + " ; " + commands);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
    gone = true;
  }
  if (gone) {
    throw closed(tab);
  }
}

/// Through a buffer of tmux's: send-keys takes 16 KB at most. Every newline is typed as Enter (CR), also
/// inside a bracketed paste, as terminals do it. The text may be a password: it stays nowhere.
TmuxManager::Awaitable<void> TmuxManager::Impl::paste_text(const Tab& tab, const std::string& text,
                                                           bool bracketed, bool enter) {
  const std::string name = "paste-" + random_hex(8);
  const auto file = tab.files.directory() / name;
  const std::string pane = quote(to_string(tab.pane));
  write_file(file, text);
  const std::string commands = "load-buffer -b " + name + " " + quote(file.string()) + " ; paste-buffer " +
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

/// Puts the text on the prompt's line and does not submit it.
TmuxManager::Awaitable<void> TmuxManager::Impl::paste(const Tab& tab, const std::string& text) {
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
  co_await paste_text(tab, text, true, false);
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
    co_await paste_text(*tab, text, is_for_paste(text), request.submit);
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

TmuxManager::Awaitable<TabScreen> TmuxManager::Impl::read_screen(ReadScreen request) {
  const TabPtr tab = co_await open_tab(request.window_id);
  const std::string pane = quote(to_string(tab->pane));
  // The title last: only it can hold anything.
  const std::string commands = "display-message -p -t " + pane + " " + quote(kScreenFormat) +
                               " ; capture-pane -p -t " + pane + " -S -" +
                               std::to_string(request.scrollback_lines) + (request.strip_ansi ? "" : " -e") +
                               " ; display-message -p -t " + pane + " '#{pane_title}'";
  std::string answer;
  bool gone = false;
  try {
    const TmuxClient tmux = tmux_of(*tab);
    answer = co_await tmux.query(commands);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
    gone = true;
  }
  if (gone) {
    throw closed(*tab);
  }
  TabScreen screen = parse_screen(answer, request.scrollback_lines);
  screen.text = masked_rows(request.guard, screen.text, screen.cols);
  screen.text = request.guard && request.strip_ansi ? visible_text(screen.text) : screen.text;
  co_return screen;
}

}  // namespace terminally
