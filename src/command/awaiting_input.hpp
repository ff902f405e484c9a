#pragma once

#include <optional>

#include "record/record.hpp"
#include "system/stillness.hpp"
#include "tab/tab.hpp"

namespace terminally {

class TextGuard;

/// Whether the program in the tab's foreground waits for the keyboard, and for what: seen in /proc and in the
/// terminal's mode, never in what was printed. A shell that waits at its prompt with nothing of ours to do is
/// idle, not waiting; one that was started by a command of ours waits. Behind a terminal that a program of
/// the tab made (sudo, script) it is looked for there. No verdict where a far side decides (ssh in raw mode).
/// Less than a millisecond; no tmux. A single look: who acts on it looks twice (SettledInput).
[[nodiscard]] std::optional<AwaitingInput> awaiting_input(const Tab& tab, TextGuard* guard = nullptr);

/// A program that waits for good: it did at the last look as well, nothing was printed since, and nobody is
/// about to pass on what it printed before (sudo, script, tmux, the log's writer). To be asked every 50 to
/// 150 ms.
class SettledInput {
 public:
  [[nodiscard]] std::optional<AwaitingInput> look(const Tab& tab);
  /// As look(), for who shows it to a person: a wait that was told lasts while that process is seen to wait,
  /// whatever others print. What a person types meanwhile has its place.
  [[nodiscard]] std::optional<AwaitingInput> look_again(const Tab& tab);
  /// What the last look saw, settled or not.
  [[nodiscard]] const std::optional<AwaitingInput>& seen() const { return seen_; }
  /// Whether anything may have changed between the last look and the one before: a process ran, or something
  /// was printed.
  [[nodiscard]] bool moved() const { return moved_; }

 private:
  [[nodiscard]] bool is_prompt_on_its_way(const Tab& tab);

  std::optional<AwaitingInput> seen_;
  std::optional<AwaitingInput> told_;  ///< by look_again()
  bool moved_ = true;
  PaneLog::Stamp log_;
  Stillness stillness_;
  std::optional<Clock::time_point> held_since_;  ///< one that waits, for its prompt
};

}  // namespace terminally
