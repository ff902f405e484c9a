#pragma once

#include "base/timeout.hpp"

namespace terminally {

/// The one table of how long a shell's steps to its prompt take: estimates from bash, zsh, dash and fish.
namespace shell_times {

/// A password prompt or `read` that is seen for less than this may be a shell on its way to its prompt,
/// because two files of /proc are read one after the other.
inline constexpr Milliseconds kShortRead{100};
/// A nested shell that is at its prompt for this long is not between two steps.
inline constexpr Milliseconds kNestedPrompt{150};
/// How long a program started at a prompt may take to get the foreground.
inline constexpr Milliseconds kTakesForeground{300};
/// The longest step of a nested shell's prompt.
inline constexpr Milliseconds kNestedStep{500};
/// A program that has the foreground for less than this may be a step of the prompt or of the start-up files
/// (git, starship). A prompt is in the log after this time, if it is shown at all.
inline constexpr Milliseconds kStep{1'000};
/// The prompt comes, and its steps begin, within this time after our last command or the tab's opening.
inline constexpr Milliseconds kBackWithin{2'000};
/// A slow step that began in time ends within this time after our last command or, for a program of the
/// start-up files, after the tab's opening.
inline constexpr Milliseconds kSlowStep{5'000};

}  // namespace shell_times

/// Knows when a tab's shell last changed state, and decides what that means for the foreground. Pure: the
/// caller gives `now`, how long it has `waited` for the prompt, and the `age` of the foreground program.
class ShellState {
 public:
  void has_opened(Clock::time_point when) { opened_ = when; }
  void has_ended_command(Clock::time_point when) { last_end_ = when; }
  void was_sent_input(Clock::time_point when) { last_input_ = when; }

  /// When this process opened the tab; the clock's zero for none. The same holds for the two below.
  [[nodiscard]] Clock::time_point opened() const { return opened_; }
  [[nodiscard]] Clock::time_point last_end() const { return last_end_; }
  [[nodiscard]] Clock::time_point last_input() const { return last_input_; }

  /// Whether the foreground of a tab just opened, with nothing typed yet, is a step of the start-up files.
  [[nodiscard]] bool is_starting_up(Clock::time_point now) const;
  /// Whether the shell may still be on its way to a prompt after our last command or its start, unused since.
  [[nodiscard]] bool is_on_its_way(Clock::time_point now) const;
  /// Whether the foreground program most likely is a step of the prompt: it began soon after the end of our
  /// last command or the tab's opening, and nothing was sent since.
  [[nodiscard]] bool is_step(Milliseconds age, Clock::time_point now) const;
  /// Whether the foreground program is no step of a prompt, but was typed by somebody.
  [[nodiscard]] bool is_users_program(Milliseconds age, Milliseconds waited, Clock::time_point now) const;
  /// Whether a shell in the foreground that is not at its prompt runs something else than its start-up files
  /// or the steps after our last command.
  [[nodiscard]] bool runs_foreign_work(Milliseconds waited, Clock::time_point now) const;

 private:
  [[nodiscard]] bool has_run() const { return last_end_ != Clock::time_point(); }
  /// Whether input was sent since our last command ended, so that the prompt was there.
  [[nodiscard]] bool prompt_was_used() const { return last_input_ > last_end_; }

  Clock::time_point opened_;
  Clock::time_point last_end_;
  Clock::time_point last_input_;
};

}  // namespace terminally
