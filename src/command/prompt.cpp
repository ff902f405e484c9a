// Looks at the processes of a tab for its shell, and waits for a prompt.
#include "command/prompt.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "command/busy.hpp"
#include "system/proc.hpp"
#include "tab/terminal_signals.hpp"

namespace terminally {
namespace {

/// How long this process has lived. A tick is 10 ms.
Milliseconds age_of(int pid) {
  const auto process = process_info(pid);
  const std::uint64_t now = ticks_since_boot();
  return Milliseconds(process && process->start_ticks < now ? (now - process->start_ticks) * 10 : 0);
}

ShellAt own_shell_at(Prompt prompt) {
  switch (prompt) {
    case Prompt::ready:
      return ShellAt::prompt;
    case Prompt::reads_keyboard:
      return ShellAt::reads;
    case Prompt::not_yet:
      break;
  }
  return ShellAt::busy;
}

ShellAt shell_at(const Tab& tab, const Foreground& foreground) {
  if (foreground.kind == Foreground::Kind::nothing) {
    return ShellAt::gone;
  }
  if (foreground.kind == Foreground::Kind::shell) {
    return own_shell_at(prompt_state(foreground, tab.tty));
  }
  if (is_starting(foreground, tab.pane_pid)) {
    return ShellAt::starting;
  }
  if (foreground.kind != Foreground::Kind::program) {
    return ShellAt::elsewhere;
  }
  return tab.shell.is_step(age_of(foreground.pid), Clock::now()) ? ShellAt::step : ShellAt::program;
}

}  // namespace

ShellLook look_at_shell(const Tab& tab) {
  ShellLook look;
  look.foreground = look_at_foreground(tab.pane_pid);
  look.at = shell_at(tab, look.foreground);
  return look;
}

boost::asio::awaitable<Foreground> wait_for_prompt(const Tab& tab, Clock::time_point deadline) {
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(200);
  std::optional<Clock::time_point> reading_since;
  for (;;) {
    Foreground foreground = look_at_foreground(tab.pane_pid);
    const auto waited = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
    if (foreground.kind == Foreground::Kind::nothing) {
      if (const int why = why_unseen(tab.pane_pid.pid); why != 0 && is_alive(tab.pane_pid)) {
        throw io_error("cannot look at the processes of tab " + to_string(tab.window), why);
      }
      throw Error(ErrorCode::tab_closed,
                  "tab " + to_string(tab.window) + " " + why_closed(tab) + "; its log can still be read");
    }
    if (foreground.kind == Foreground::Kind::program || foreground.runs_program) {
      if (tab.shell.is_users_program(age_of(foreground.pid), waited, Clock::now()) ||
          Clock::now() >= deadline) {
        throw busy_with_program(tab, foreground);
      }
    } else {
      const Prompt prompt = prompt_state(foreground, tab.tty);
      if (prompt == Prompt::ready) {
        if (const auto reader = other_reader(tab, foreground)) {
          throw busy_with_other_reader(tab, *reader);
        }
        co_return foreground;
      }
      if (prompt != Prompt::reads_keyboard) {
        reading_since.reset();
      } else if (!reading_since) {
        reading_since = Clock::now();
      } else if (Clock::now() - *reading_since > shell_times::kShortRead) {
        throw busy_with_reading(tab, foreground);
      }
    }
    if (Clock::now() >= deadline || tab.shell.runs_foreign_work(waited, Clock::now())) {
      throw busy_without_prompt(tab, foreground);
    }
    co_await sleep_until(Clock::now() + pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5'000));
  }
}

}  // namespace terminally
