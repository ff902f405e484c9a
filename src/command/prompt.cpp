#include "command/prompt.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "command/busy.hpp"
#include "system/proc.hpp"
#include "tab/shell_end.hpp"

namespace terminally {
namespace {

/// A program that has the foreground for less than this may be a step of a prompt or of the rc files (git,
/// starship).
constexpr Milliseconds kPromptStep{1'000};
/// A step of the prompt begins at most this long after our last command.
constexpr Milliseconds kLastStepBegins{2'000};
/// A program of the start-up files may have the foreground for that long.
constexpr Milliseconds kStartUpStep{5'000};
/// A password prompt or `read` that shows for less than this at a stretch may be a shell on its way to its
/// prompt: what it does is read from two files of /proc, one after the other.
constexpr Milliseconds kShortRead{100};

/// How long this process has lived. A tick is 10 ms.
Milliseconds age_of(int pid) {
  const auto process = process_info(pid);
  const std::uint64_t now = ticks_since_boot();
  return Milliseconds(process && process->start_ticks < now ? (now - process->start_ticks) * 10 : 0);
}

/// Whether the prompt was there since our last command ended: something was sent to it.
bool prompt_was_there(const Tab& tab) {
  return tab.last_input > tab.last_end;
}

/// Whether what has the foreground, and has had it for so long, is no step of a prompt: somebody has typed it
/// there. A step begins with the end of our last command.
bool is_no_step(const Tab& tab, Milliseconds waited, Milliseconds lives) {
  const auto since_end = Clock::now() - tab.last_end;
  if (!prompt_was_there(tab) && tab.last_end == Clock::time_point()) {
    return waited > kPromptStep && Clock::now() - tab.opened > kStartUpStep;
  }
  return prompt_was_there(tab) || since_end - lives > kLastStepBegins
             ? std::max(waited, lives) > kPromptStep
             : waited > kPromptStep && since_end > kPromptAfterCommand;
}

/// Whether the shell runs something of its own, not its start-up files and not what follows our last command.
bool is_no_way_back(const Tab& tab, Milliseconds waited) {
  const bool settled = prompt_was_there(tab) || (tab.last_end != Clock::time_point() &&
                                                 Clock::now() - tab.last_end > kPromptAfterCommand);
  return settled && waited > kPromptStep;
}

}  // namespace

bool is_step_of_prompt(const Tab& tab, const Foreground& foreground) {
  const auto since = Clock::now() - (tab.last_end == Clock::time_point() ? tab.opened : tab.last_end);
  return foreground.kind == Foreground::Kind::program && !prompt_was_there(tab) &&
         since <= kPromptAfterCommand && since - age_of(foreground.pid) <= kLastStepBegins;
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
      if (is_no_step(tab, waited, age_of(foreground.pid)) || Clock::now() >= deadline) {
        throw busy_with_program(tab, foreground);
      }
    } else {
      const Prompt prompt = prompt_state(foreground, tab.tty);
      if (prompt == Prompt::ready) {
        co_return foreground;
      }
      if (prompt != Prompt::reads_keyboard) {
        reading_since.reset();
      } else if (!reading_since) {
        reading_since = Clock::now();
      } else if (Clock::now() - *reading_since > kShortRead) {
        throw busy_with_reading(tab, foreground);
      }
    }
    if (Clock::now() >= deadline || is_no_way_back(tab, waited)) {
      throw busy_without_prompt(tab, foreground);
    }
    co_await sleep_until(Clock::now() + pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5'000));
  }
}

}  // namespace terminally
