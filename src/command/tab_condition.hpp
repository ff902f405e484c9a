#pragma once

#include <memory>
#include <optional>

#include "base/timeout.hpp"
#include "command/waited_tab.hpp"
#include "log/output.hpp"

namespace terminally {

/// What is waited for: one class for each `Until` (wait_kinds.cpp).
class WaitKind {
 public:
  enum class Step {
    matched,
    awaits_input,  ///< the end is waited for, and somebody has to answer first
    exited,        ///< the command ended first
    tab_closed,
    later,    ///< look again when something happens
    at_once,  ///< there is more to look through: look again after others were served
  };

  virtual ~WaitKind() = default;
  /// Whether it has come, after the tab was looked at: `matched`, `awaits_input`, `later` or `at_once`.
  /// Asks the tab for an
  /// earlier look where that is worth it. Takes a few milliseconds at most.
  [[nodiscard]] virtual Step look(WaitedTab& tab) = 0;
  /// Adds to the result of the wait what only this kind knows.
  virtual void tell(const WaitedTab& /*tab*/, Step /*step*/, WaitForResult& /*result*/) const {}
};

/// The kind that the tab's terms ask for. Throws Error(invalid_argument) for a bad pattern.
[[nodiscard]] std::unique_ptr<WaitKind> wait_kind(const WaitedTab& tab);

/// What one call of wait_for waits for, looked at again and again: nothing in here waits itself. Who holds it
/// wakes it by the log, by the end of `run()` and at `next_look()`.
class TabCondition {
 public:
  /// Throws Error(invalid_argument) for a bad pattern.
  TabCondition(std::shared_ptr<Tab> tab, const WaitFor& request)
      : tab_(std::move(tab), request), kind_(wait_kind(tab_)) {}

  using Step = WaitKind::Step;
  /// Throws Error(not_found) where the end of a command is waited for and there was none. Takes a few
  /// milliseconds at most. tab.closed must be of now, and commands that nobody looks after
  /// settled.
  [[nodiscard]] Step look();

  [[nodiscard]] Clock::time_point next_look() const { return tab_.next_look; }
  /// The command that is waited for, if it is looked after by this process.
  [[nodiscard]] const RunPtr& run() const { return tab_.run; }
  /// The command whose state the result tells, if there is one.
  [[nodiscard]] const std::optional<CommandRecord>& record() const { return tab_.record; }
  [[nodiscard]] Until until() const { return tab_.terms.until; }

  /// The output to show with a result: up to its `next_byte`.
  [[nodiscard]] OutputRange output_range(std::uint64_t next_byte) const;

  /// How things are now, without `output`.
  [[nodiscard]] WaitForResult result(Step step);

 private:
  [[nodiscard]] bool is_being_settled();

  WaitedTab tab_;
  std::unique_ptr<WaitKind> kind_;
  std::optional<Clock::time_point> closed_at_;  ///< when the tab was seen to be closed under a command
};

}  // namespace terminally
