#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/timeout.hpp"
#include "command/command_run.hpp"
#include "tab/wait_terms.hpp"

namespace terminally {

/// The tab that one call of wait_for waits in, as the last look saw it: the command that is waited for, how
/// the log grew, and when to look again. Nothing in here waits, and only looks write here.
struct WaitedTab {
  WaitedTab(std::shared_ptr<Tab> its_tab, const WaitFor& request);

  /// Looks anew. tab->closed must be of now, and commands that nobody looks after settled.
  void look();
  /// The same for the command alone.
  void look_at_command();
  void look_again_by(Clock::time_point when) { next_look = std::min(next_look, when); }

  [[nodiscard]] bool ended() const { return record && record->state != CommandState::running; }
  /// Whether the command ended with its tab or with the tmux server.
  [[nodiscard]] bool is_lost() const;
  /// Whether what the caller typed may still come to the program.
  [[nodiscard]] bool is_on_its_way() const;
  [[nodiscard]] std::uint64_t output_end() const;

  std::shared_ptr<Tab> tab;
  WaitTerms terms;
  RunPtr run;  ///< the command whose end ends the wait, if this process looks after it
  std::optional<CommandRecord> record;  ///< of that command, whoever looks after it; none at a prompt
  bool had_command = false;             ///< the tab had one of ours when the wait began, waited for or not
  std::uint64_t from = 0;               ///< log offset where the wait begins
  bool after_something = false;         ///< the caller named that offset: the caller has just typed something
  Clock::time_point now = Clock::now();
  Clock::time_point next_look = now;
  PaneLog::Stamp log;
  Clock::time_point log_grew = now;  ///< was seen to; at first when the wait began
  std::string match;                 ///< what came, as the result tells it
};

}  // namespace terminally
