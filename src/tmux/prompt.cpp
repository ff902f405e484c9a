#include "tmux/prompt.hpp"

#include "base/error.hpp"
#include "tmux/proc.hpp"
#include "tmux/shell_end.hpp"

namespace terminally {
namespace {

/// A program that has the foreground for less than this may be a step of a prompt or of the rc files (git,
/// starship).
constexpr Milliseconds kPromptStep{1'000};
/// A password prompt or `read` that shows for less than this at a stretch may be a shell on its way to its
/// prompt: what it does is read from two files of /proc, one after the other.
constexpr Milliseconds kShortRead{100};

/// What runs in it cannot be followed.
std::string about_multiplexer(std::string_view name) {
  const bool is_one = name.starts_with("tmux") || name == "screen" || name == "zellij";
  return is_one ? ". No command can be run through a multiplexer: if the shell's start-up files open it, let "
                  "them do so only where $TMUX, $STY and $ZELLIJ are empty, or create_tab with another shell"
                : "";
}

Error busy(const Tab& tab, const Foreground& foreground) {
  return Error(ErrorCode::busy, "tab " + to_string(tab.window) + " is busy: " + foreground.name + " (" +
                                    describe_process(foreground.pid) +
                                    ") has the foreground; wait for it, or end it with stop_process" +
                                    about_multiplexer(foreground.name));
}

Error reading(const Tab& tab, const Foreground& foreground) {
  return Error(ErrorCode::busy, "tab " + to_string(tab.window) + " is busy: " + foreground.name +
                                    " waits for the keyboard (a `read` or a password prompt); answer it "
                                    "there, or end it with stop_process");
}

}  // namespace

boost::asio::awaitable<Foreground> wait_for_prompt(const Tab& tab, Clock::time_point deadline) {
  const auto begin = Clock::now();
  auto pause = std::chrono::microseconds(200);
  std::optional<Clock::time_point> reading_since;
  for (;;) {
    Foreground foreground = look_at_foreground(tab.pane_pid);
    const auto waited = Clock::now() - begin;
    if (foreground.kind == Foreground::Kind::nothing) {
      throw Error(ErrorCode::tab_closed,
                  "tab " + to_string(tab.window) + " " + why_closed(tab) + "; its log can still be read");
    }
    if (foreground.kind == Foreground::Kind::program || foreground.runs_program) {
      if ((waited > kPromptStep && Clock::now() - tab.last_end > kPromptAfterCommand) ||
          Clock::now() >= deadline) {
        throw busy(tab, foreground);
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
        throw reading(tab, foreground);
      }
    }
    if (Clock::now() >= deadline) {
      throw Error(ErrorCode::busy, "tab " + to_string(tab.window) +
                                       " is busy: its shell did not come to a prompt in time; "
                                       "nothing was run. Look with read_logs_from_tab, or stop_process");
    }
    co_await sleep_until(Clock::now() + pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5'000));
  }
}

}  // namespace terminally
