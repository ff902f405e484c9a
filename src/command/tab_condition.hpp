#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/timeout.hpp"
#include "command/awaiting_input.hpp"
#include "command/command_run.hpp"
#include "command/prompt.hpp"
#include "command/wait_terms.hpp"
#include "log/log_search.hpp"
#include "log/output.hpp"
#include "system/foreground.hpp"

namespace terminally {

/// What one call of wait_for waits for, looked at again and again: nothing in here waits itself. Who holds it
/// wakes it by the log, by the end of `run()` and at `next_look()`.
class TabCondition {
 public:
  /// Throws Error(invalid_argument) for a bad pattern.
  TabCondition(std::shared_ptr<Tab> tab, const WaitFor& request);

  enum class Step {
    matched,
    exited,  ///< the command ended first
    tab_closed,
    later,    ///< look again when something happens
    at_once,  ///< there is more to look through: look again after others were served
  };
  /// Throws Error(not_found) where the end of a command is waited for and there was none. Takes a few
  /// milliseconds at most. tab.closed must be of now, and commands that nobody looks after
  /// settled.
  [[nodiscard]] Step look();

  [[nodiscard]] Clock::time_point next_look() const { return next_look_; }
  /// The command that is waited for, if it is looked after by this process.
  [[nodiscard]] const RunPtr& run() const { return run_; }
  /// The command whose state the result tells, if there is one.
  [[nodiscard]] const std::optional<CommandRecord>& record() const { return record_; }
  [[nodiscard]] Until until() const { return waiting_.until; }

  /// The output to show with a result: up to its `next_byte`.
  [[nodiscard]] OutputRange output_range(std::uint64_t next_byte) const;

  /// How things are now, without `output`.
  [[nodiscard]] WaitForResult result(Step step);

 private:
  void choose_command(const WaitFor& request);
  void look_at_command();
  [[nodiscard]] std::uint64_t output_end();
  [[nodiscard]] bool ended() const { return record_ && record_->state != CommandState::running; }
  [[nodiscard]] Step look_for_exit();
  void refuse_where_nothing_ran() const;
  [[nodiscard]] Step look_for_pattern();
  [[nodiscard]] std::string masked_match(const LineMatch& found) const;
  [[nodiscard]] Step look_for_idle();
  [[nodiscard]] Step look_for_input();
  [[nodiscard]] Step look_for_port();
  [[nodiscard]] Step look_for_it();
  [[nodiscard]] bool is_being_settled();
  [[nodiscard]] bool is_drawn_behind(std::uint64_t offset) const;
  [[nodiscard]] bool is_back(const ShellLook& now);
  [[nodiscard]] bool is_on_its_way() const;
  [[nodiscard]] bool prompt_is_logged() const;
  void look_again_by(Clock::time_point when) { next_look_ = std::min(next_look_, when); }

  std::shared_ptr<Tab> tab_;
  WaitTerms waiting_;
  std::uint64_t from_ = 0;
  bool after_something_ = false;           ///< the caller has just typed something
  std::optional<Clock::time_point> came_;  ///< when that was first seen to be there
  std::optional<Clock::time_point> back_;  ///< since when the shell was seen at its prompt

  /// The command whose end ends the wait: of this process, or as its record says; none at a prompt.
  RunPtr run_;
  std::optional<CommandRecord> record_;
  bool something_ran_ = false;  ///< a command of ours, or a program that had the foreground during the wait

  Clock::time_point now_ = Clock::now();
  Clock::time_point next_look_ = now_;
  Clock::time_point began_ = now_;
  Clock::time_point next_poll_ = now_;
  std::string match_;
  PaneLog::Stamp log_;
  Clock::time_point log_grew_ = now_;

  std::optional<Pattern> pattern_;
  std::optional<LogSearch> search_;
  std::string growing_;  ///< a match at the end of what is printed, that may go on
  Clock::time_point growing_since_ = now_;
  SettledInput input_;
  bool in_another_shell_ = false;  ///< the prompt of a shell that the command opened is what was waited for
  bool others_listen_ = false;
  std::optional<Clock::time_point> closed_at_;  ///< when the tab was seen to be closed under a command
};

}  // namespace terminally
