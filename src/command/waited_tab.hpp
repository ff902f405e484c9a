#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "base/timeout.hpp"
#include "command/command_run.hpp"
#include "command/wait_terms.hpp"

namespace terminally {

/// The tab that one call of wait_for waits in, as the last look saw it: the command that is waited for, how
/// the log grew, and when to look again. Nothing in here waits.
class WaitedTab {
 public:
  WaitedTab(std::shared_ptr<Tab> tab, const WaitFor& request);

  /// Looks anew. tab.closed must be of now, and commands that nobody looks after settled.
  void look();
  /// The same for the command alone.
  void look_at_command();

  [[nodiscard]] const Tab& tab() const { return *tab_; }
  [[nodiscard]] const WaitTerms& terms() const { return terms_; }
  /// When this look began.
  [[nodiscard]] Clock::time_point now() const { return now_; }
  [[nodiscard]] Clock::time_point next_look() const { return next_look_; }
  void look_again_by(Clock::time_point when) { next_look_ = std::min(next_look_, when); }

  /// The command whose end ends the wait, if this process looks after it.
  [[nodiscard]] const RunPtr& run() const { return run_; }
  /// The same command as its record says, whichever process looks after it; none at a prompt.
  [[nodiscard]] const std::optional<CommandRecord>& record() const { return record_; }
  /// Whether the tab had a command of ours, waited for or not, when the wait began.
  [[nodiscard]] bool had_command() const { return had_command_; }
  [[nodiscard]] bool ended() const { return record_ && record_->state != CommandState::running; }
  /// Whether the command ended with its tab or with the tmux server.
  [[nodiscard]] bool is_lost() const;

  /// The log offset where the wait begins.
  [[nodiscard]] std::uint64_t from() const { return from_; }
  /// Whether the caller named that offset: the caller has just typed something.
  [[nodiscard]] bool after_something() const { return after_something_; }
  /// Whether what the caller typed may still come to the program.
  [[nodiscard]] bool is_on_its_way() const;
  [[nodiscard]] std::uint64_t output_end() const;
  /// When the log was last seen to grow; at first when the wait began.
  [[nodiscard]] Clock::time_point log_grew() const { return log_grew_; }

 private:
  [[nodiscard]] bool another_runs() const;

  std::shared_ptr<Tab> tab_;
  WaitTerms terms_;
  RunPtr run_;
  std::optional<CommandRecord> record_;
  bool had_command_ = false;
  std::uint64_t from_ = 0;
  bool after_something_ = false;
  Clock::time_point now_ = Clock::now();
  Clock::time_point next_look_ = now_;
  PaneLog::Stamp log_;
  Clock::time_point log_grew_ = now_;
};

}  // namespace terminally
