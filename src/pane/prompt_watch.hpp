#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

namespace terminally {

/// Whether a shell came to its prompt, and whether anybody has typed since: so that one that left by itself
/// (TMOUT) is told from one that a person left, and from one that never began. Of a shell with a line editor:
/// that switches the terminal to raw mode. The kernel signals SIGIO, blocked, for what is typed; after each
/// the terminal is looked at again, ever less often, until the shell is back at its prompt.
class PromptWatch {
 public:
  /// Asks for SIGIO, and blocks that and SIGCHLD.
  PromptWatch();

  void begin(pid_t shell);
  /// Until a child changes its state or something is typed; looks when it is time to.
  void wait();
  /// What was typed a moment before the shell's end.
  void take_what_was_typed();

  [[nodiscard]] bool came_to_a_prompt() const { return came_; }
  [[nodiscard]] bool was_typed_at() const { return typed_; }
  /// At its prompt, and nothing was typed since.
  [[nodiscard]] bool is_idle() const { return idle_; }
  /// Of the shell when it was last seen at its prompt.
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
