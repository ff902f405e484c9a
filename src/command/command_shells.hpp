#pragma once

#include <optional>

#include "system/foreground.hpp"
#include "tab/record_keeper.hpp"

namespace terminally {

/// The shells of one command: its own, into which it was typed, and those that it opens. A shell elsewhere is
/// seen as the way to it (ssh).
class CommandShells {
 public:
  /// Both outlive it.
  CommandShells(const Tab& tab, RecordKeeper& record) : tab_(tab), record_(record) {}

  /// The command's own shell; nullopt when that is gone, even if its pid is in use again.
  [[nodiscard]] std::optional<ProcessId> own() const;
  [[nodiscard]] bool own_is_gone() const;
  /// Whether another shell took the place of the command's own (`exec bash`).
  [[nodiscard]] bool own_is_replaced() const;

  /// Whether what has the foreground now is a shell that the command opened, or a way to one: within its own
  /// shell, or in the place of that.
  [[nodiscard]] bool opened(const Foreground& now) const;
  /// Whether an opened shell was seen to wait at its prompt.
  [[nodiscard]] bool opened_one() const { return opened_one_; }
  /// Whether an opened shell waits at its prompt. `told`: somebody is told so. Where nobody is, a way to a
  /// shell elsewhere is not known to have opened one.
  [[nodiscard]] bool one_waits(bool told = true);
  /// Whether the last look saw an opened shell at its prompt, perhaps in passing.
  [[nodiscard]] bool one_may_wait() const { return prompt_seen_.has_value(); }
  /// That the shell that the command opened was seen at this prompt: how that shell is reached is on record
  /// from then on.
  void note_shell_gateway(const Foreground& prompt, Clock::time_point seen);

 private:
  [[nodiscard]] bool leaves_line_open() const;
  [[nodiscard]] std::optional<Foreground> prompt();

  const Tab& tab_;
  RecordKeeper& record_;
  bool opened_one_ = false;
  std::optional<Clock::time_point> prompt_seen_;
};

}  // namespace terminally
