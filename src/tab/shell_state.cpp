// Decides by times alone whether a tab's shell is on the way to its prompt, or runs somebody's program.
#include "tab/shell_state.hpp"

#include <algorithm>

namespace terminally {

using namespace shell_times;  // NOLINT(google-build-using-namespace): the table of this class

bool ShellState::is_starting_up(Clock::time_point now) const {
  return now - opened_ < kBackWithin && last_input_ <= opened_;
}

bool ShellState::is_on_its_way(Clock::time_point now) const {
  const auto since = std::max(last_end_, opened_);
  return last_input_ <= since && now < since + kBackWithin;
}

bool ShellState::is_step(Milliseconds age, Clock::time_point now) const {
  const auto since = now - (has_run() ? last_end_ : opened_);
  return !prompt_was_used() && since <= kSlowStep && since - age <= kBackWithin;
}

bool ShellState::is_users_program(Milliseconds age, Milliseconds waited, Clock::time_point now) const {
  if (!prompt_was_used() && !has_run()) {
    return waited > kStep && now - opened_ > kSlowStep;
  }
  const auto since_end = now - last_end_;
  return prompt_was_used() || since_end - age > kBackWithin ? std::max(waited, age) > kStep
                                                            : waited > kStep && since_end > kSlowStep;
}

bool ShellState::runs_foreign_work(Milliseconds waited, Clock::time_point now) const {
  const bool settled = prompt_was_used() || (has_run() && now - last_end_ > kSlowStep);
  return settled && waited > kStep;
}

}  // namespace terminally
