// One wait in a tab: whether what is waited for has come, or something else ended the wait, and how that is
// told.
#include "command/tab_condition.hpp"

#include <algorithm>

#include "command/awaiting_input.hpp"
#include "log/log_end.hpp"
#include "system/foreground.hpp"

namespace terminally {
namespace {

/// What became of a command whose tab has closed is settled within this time: its last output is read first.
constexpr Milliseconds kSettledWithin = kLogEndsWithin + Milliseconds(1'000);
constexpr Milliseconds kPollSettled{10};

}  // namespace

TabCondition::Step TabCondition::look() {
  tab_.look();
  const Step step = kind_->look(tab_);
  if (step != Step::later && step != Step::awaits_input) {
    return step;
  }
  if (tab_.is_lost() || (tab_.tab->closed && !is_being_settled())) {
    return Step::tab_closed;
  }
  return tab_.ended() ? Step::exited : step;
}

/// Whether the command of a closed tab is still taken for running: it is about to be given up.
bool TabCondition::is_being_settled() {
  if (!tab_.record || tab_.ended()) {
    return false;
  }
  closed_at_ = closed_at_.value_or(tab_.now);
  tab_.look_again_by(tab_.now + kPollSettled);
  return tab_.now - *closed_at_ < kSettledWithin;
}

OutputRange TabCondition::output_range(std::uint64_t next_byte) const {
  const auto& record = tab_.record;
  OutputRange range{tab_.from, next_byte, !tab_.ended() && !tab_.tab->closed};
  range.first = record && record->start_byte <= tab_.from ? record->start_byte : 0;
  return range;
}

WaitForResult TabCondition::result(Step step) {
  tab_.look_at_command();
  const Tab& tab = *tab_.tab;
  const auto& record = tab_.record;
  WaitForResult waited;
  waited.matched = step == Step::matched;
  waited.reason = step == Step::exited         ? "exited"
                  : step == Step::tab_closed   ? "tab_closed"
                  : step == Step::awaits_input ? "awaiting_input"
                  : step == Step::matched      ? ""
                                               : "timeout";
  waited.match = waited.matched ? tab_.match : "";
  waited.next_byte = std::max(tab_.from, tab_.output_end());
  const bool program =
      !record && !tab.closed && look_at_foreground(tab.pane_pid).kind != Foreground::Kind::shell;
  waited.state = record ? record->state : program ? CommandState::running : CommandState::completed;
  waited.exit_code = record ? record->exit_code : std::nullopt;
  if (!tab_.ended() && !tab.closed) {
    waited.awaiting_input = awaiting_input(tab, tab_.terms.view.guard.get());
  }
  if (record) {
    waited.notes = record->notes;
  }
  if (waited.awaiting_input &&
      (step == Step::awaits_input || waited.awaiting_input->kind == AwaitingInput::Kind::stopped)) {
    waited.notes.push_back(how_to_answer(*waited.awaiting_input));
  }
  kind_->tell(tab_, step, waited);
  return waited;
}

}  // namespace terminally
