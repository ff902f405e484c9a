#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

namespace terminally {

/// Watches whether a shell came to its prompt, and whether anybody typed since. This tells a shell that left
/// by itself (TMOUT) from one that a person left, and from one that never began. Works for shells with a line
/// editor, which switches the terminal to raw mode. The kernel sends SIGIO (blocked) for typing; after each
/// SIGIO the terminal is checked again, ever less often, until the shell is back at its prompt.
class PromptWatch {
 public:
  /// Asks for SIGIO, and blocks SIGIO and SIGCHLD.
  PromptWatch();

  void begin(pid_t shell);
  /// Waits until a child changes its state or something is typed; checks the terminal when that is due.
  void wait();
  /// Takes note of typing in the last moment before the shell's end.
  void take_what_was_typed();

  [[nodiscard]] bool came_to_a_prompt() const { return came_; }
  [[nodiscard]] bool was_typed_at() const { return typed_; }
  /// Whether the shell is at its prompt, and nothing was typed since.
  [[nodiscard]] bool is_idle() const { return idle_; }
  /// The shell's directory when it was last seen at its prompt.
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] long lived_ms() const;

 private:
  void look();
  void note_typing();

  pid_t shell_ = 0;
  timespec begun_{};
  long pause_ms_ = 0;
  bool came_ = false;
  bool typed_ = false;
  bool idle_ = false;
  std::string directory_;
};

}  // namespace terminally
