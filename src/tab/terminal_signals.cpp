// Interrupts or terminates what has a tab's foreground, by C-c or by a signal.
// Words how a tab's shell ended, from terminally-shell's note and the end of the log.

#include "tab/terminal_signals.hpp"

#include <signal.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "log/log_end.hpp"
#include "system/foreground.hpp"
#include "system/signals.hpp"
#include "system/terminal.hpp"
#include "tab/tab_processes.hpp"
#include "text/ansi.hpp"

namespace terminally {

namespace {

namespace asio = boost::asio;

constexpr Milliseconds kKeyWithin{1'000};
constexpr Milliseconds kProgramStarts{60};

/// fish always does, others until they have set themselves up.
bool dies_of_sigterm(const Foreground& shell) {
  const SignalMasks its = signal_masks(shell.pid);
  return shell.shell == ShellKind::fish || !is_in(its.ignored | its.caught, SIGTERM);
}

}  // namespace

asio::awaitable<void> press_interrupt_key(const Tab& tab, PaneTerminal& terminal, ProcessTable& table,
                                          int own_shell) {
  TabProcesses processes(table, tab, own_shell);
  co_await processes.look();
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const SeenGroup group = processes.group(foreground.group);
  const auto mode = terminal_mode(tab.tty);
  if (group.key_hits_detached && mode && mode->keys_signal) {
    for (const ProcessId process : group.attached) {
      signal_process(process, SIGINT);
    }
    co_return;
  }
  bool sent = false;
  try {
    sent = co_await terminal.type_within(kKeyWithin, "\x03");
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the signal goes in its place
  }
  if (!sent) {
    signal_foreground(tab.pane_pid, foreground.group, SIGINT);
  }
}

asio::awaitable<void> signal_foreground_once(const Tab& tab, PaneTerminal& terminal, StopSignal signal,
                                             ProcessTable& table, int own_shell) {
  if (signal == StopSignal::interrupt) {
    co_await press_interrupt_key(tab, terminal, table, own_shell);
    co_return;
  }
  TabProcesses processes(table, tab, own_shell);
  co_await processes.look();
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const bool is_shell = foreground.kind == Foreground::Kind::shell || foreground.pid == own_shell;
  if (!is_shell || !dies_of_sigterm(foreground)) {
    signal_foreground(tab.pane_pid, foreground.group, SIGTERM);
  }
}

asio::awaitable<void> let_program_start(const Tab& tab) {
  const auto patience = Clock::now() + kProgramStarts;
  const auto is_on_its_way = [&tab] {
    const Foreground foreground = look_at_foreground(tab.pane_pid);
    return foreground.kind == Foreground::Kind::shell || ignores_sigterm_before_exec(foreground);
  };
  while (is_on_its_way() && Clock::now() < patience) {
    co_await sleep_for(Milliseconds(5));
  }
}

namespace {

constexpr std::size_t kLinesBytes = 8'192;
constexpr std::size_t kLongestLine = 200;
constexpr Milliseconds kBetweenLooks{5};
constexpr std::string_view kOurs = "terminally-shell: ";

std::string newest_text(const Tab& tab) {
  try {
    return strip_ansi(tab.log.last_lines(50, kLinesBytes).bytes);
  } catch (const Error&) {
    return {};
  }
}

/// The last line that the shell printed, before a message of terminally-shell or the end of the log.
std::string last_line(const Tab& tab) {
  const std::string text = newest_text(tab);
  std::string_view rest = std::string_view(text).substr(0, text.find(kOurs));
  const std::size_t last = rest.find_last_not_of(" \t\r\n");
  rest = rest.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const std::size_t newline = rest.rfind('\n');
  return shortened(to_valid_utf8(rest.substr(newline == std::string_view::npos ? 0 : newline + 1)),
                   kLongestLine);
}

std::string seconds(std::uint64_t ms) {
  return std::to_string(ms / 1'000) + "." + std::to_string(ms % 1'000 / 100) + " s";
}

/// How the tab's shell last ended while no command ran, as terminally-shell wrote it.
struct ShellEnd {
  int code = 0;
  std::uint64_t lived_ms = 0;
  std::string when;  ///< "start": before its first prompt; "idle": by itself at its prompt; "left"
  std::string next;  ///< what was started then; "-": nothing
};

std::filesystem::path end_path(const Tab& tab) {
  return tab.files.runtime() / (std::to_string(tab.pane.number) + ".ended");
}

/// None where somebody has been told already.
std::optional<ShellEnd> untold_end(const Tab& tab) {
  ShellEnd end;
  std::istringstream fields(read_file(end_path(tab)).value_or(""));
  const bool whole = static_cast<bool>(fields >> end.code >> end.lived_ms >> end.when >> end.next);
  return whole ? std::optional(end) : std::nullopt;
}

/// For whoever tells it.
std::optional<ShellEnd> take_end(const Tab& tab) {
  auto end = untold_end(tab);
  if (end) {
    remove_file(end_path(tab));
  }
  return end;
}

std::string how_it_ended(const ShellEnd& end, const Tab& tab) {
  std::string text =
      "its shell ended with exit code " + std::to_string(end.code) + " after " + seconds(end.lived_ms);
  if (end.when == "start") {
    const std::string line = last_line(tab);
    text += ", before its first prompt" +
            (line.empty() ? std::string("; it printed nothing") : "; the last it printed: " + line);
  }
  return text;
}

}  // namespace

std::string why_closed(const Tab& tab) {
  if (const auto end = take_end(tab)) {
    tab.shell_end = how_it_ended(*end, tab);
  }
  return tab.shell_end.empty() ? "is closed" : "is closed: " + tab.shell_end;
}

boost::asio::awaitable<void> wait_for_last_words(const Tab& tab, Clock::time_point deadline) {
  const auto end = untold_end(tab);
  if (!end || end->when != "start" || end->next == "-") {
    co_return;
  }
  deadline = std::min(deadline, Clock::now() + kLogEndsWithin);
  while (newest_text(tab).find(kOurs) == std::string::npos && Clock::now() < deadline) {
    co_await sleep_for(kBetweenLooks);
  }
}

std::string note_of_new_shell(const Tab& tab) {
  const auto end = take_end(tab);
  if (!end || end->next == "-") {
    return {};
  }
  if (end->when == "start") {
    throw Error(ErrorCode::busy,
                "nothing was run in tab " + to_string(tab.window) + ": " + how_it_ended(*end, tab) +
                    ". Its start-up files need a look; " + end->next +
                    " was started in this tab without them, and the next command runs there");
  }
  return how_it_ended(*end, tab) +
         " at its prompt, without anybody typing (TMOUT does so); a new one was started in the same "
         "directory (variables, functions and options of the old one are gone)";
}

}  // namespace terminally
