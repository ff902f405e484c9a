// Interrupts or terminates what has a tab's foreground, by C-c or by a signal.
#include "tab/terminal_signals.hpp"

#include <signal.h>

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "system/foreground.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kKeyWithin{1'000};
constexpr Milliseconds kProgramStarts{60};

}  // namespace

asio::awaitable<void> press_interrupt_key(const Tab& tab, PaneTerminal& terminal) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
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
                                             int own_shell) {
  if (signal == StopSignal::interrupt) {
    co_await press_interrupt_key(tab, terminal);
    co_return;
  }
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  const bool is_shell = foreground.kind == Foreground::Kind::shell || foreground.pid == own_shell;
  if (!is_shell || foreground.shell != ShellKind::fish) {
    signal_foreground(tab.pane_pid, foreground.group, SIGTERM);
  }
}

asio::awaitable<void> let_program_start(const Tab& tab) {
  const auto patience = Clock::now() + kProgramStarts;
  const auto is_on_its_way = [&tab] {
    const Foreground foreground = look_at_foreground(tab.pane_pid);
    return foreground.kind == Foreground::Kind::shell || is_deaf_fork(foreground);
  };
  while (is_on_its_way() && Clock::now() < patience) {
    co_await sleep_for(Milliseconds(5));
  }
}

}  // namespace terminally
