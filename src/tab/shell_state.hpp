#pragma once

#include "base/timeout.hpp"

namespace terminally {

/// How long a shell's steps to its prompt take: guesses, which were measured with bash, zsh, dash and fish,
/// and the one table of them.
namespace shell_times {

/// A password prompt or `read` that shows for less at a stretch may be a shell on its way to its prompt: what
/// it does is read from two files of /proc, one after the other.
inline constexpr Milliseconds kShortRead{100};
/// The prompt of a nested shell that is shown for this long is no step of something else.
inline constexpr Milliseconds kNestedPrompt{150};
/// What has just come at a prompt has this long to take the foreground.
inline constexpr Milliseconds kTakesForeground{300};
/// A step of a nested shell's prompt is over by then.
inline constexpr Milliseconds kNestedStep{500};
/// A program that has the foreground for less may be a step of the prompt or of the start-up files (git,
/// starship). A prompt that is there is in the log by then, if it is shown at all.
inline constexpr Milliseconds kStep{1'000};
/// The prompt comes, and a step of it begins, at most so long behind our last command, or behind the tab's
/// opening.
inline constexpr Milliseconds kBackWithin{2'000};
/// A slow step: a program that began in time has the foreground for less than this behind our last command;
/// and a program of the start-up files, behind the tab's opening.
inline constexpr Milliseconds kSlowStep{5'000};

}  // namespace shell_times

/// When things happened to a tab's shell, and what follows for what is seen in its foreground. Pure: `now`,
/// how long somebody has `waited` for the prompt, and the `age` of the program in the foreground are given.
class ShellState {
 public:
  void has_opened(Clock::time_point when) { opened_ = when; }
  void has_ended_command(Clock::time_point when) { last_end_ = when; }
  void was_sent_input(Clock::time_point when) { last_input_ = when; }

  /// By this process; else the clock's zero, as of the others.
  [[nodiscard]] Clock::time_point opened() const { return opened_; }
  [[nodiscard]] Clock::time_point last_end() const { return last_end_; }
  [[nodiscard]] Clock::time_point last_input() const { return last_input_; }

  /// What has the foreground of a tab just opened, where nothing was typed yet, is a step of its start-up
  /// files.
  [[nodiscard]] bool is_starting_up(Clock::time_point now) const;
  /// Whether the shell may still be on its way to its first prompt behind our last command, or behind its
  /// start, with nothing sent since.
  [[nodiscard]] bool is_on_its_way(Clock::time_point now) const;
  /// Whether the program in the foreground began so soon behind the end of our last command, or behind the
  /// tab's opening, with nothing sent since, that it most likely is a step of the prompt, and nobody's.
  [[nodiscard]] bool is_step(Milliseconds age, Clock::time_point now) const;
  /// Whether it is no step of a prompt: somebody has typed it there.
  [[nodiscard]] bool is_no_step(Milliseconds age, Milliseconds waited, Clock::time_point now) const;
  /// Whether a shell that has the foreground, and is not at its prompt, runs something of its own: not its
  /// start-up files, and not what follows our last command.
  [[nodiscard]] bool is_no_way_back(Milliseconds waited, Clock::time_point now) const;

 private:
  [[nodiscard]] bool has_run() const { return last_end_ != Clock::time_point(); }
  /// The prompt was there since our last command ended.
  [[nodiscard]] bool prompt_was_used() const { return last_input_ > last_end_; }

  Clock::time_point opened_;
  Clock::time_point last_end_;
  Clock::time_point last_input_;
};

}  // namespace terminally
