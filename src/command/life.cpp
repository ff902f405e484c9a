#include "command/life.hpp"

#include <algorithm>
#include <utility>

#include "base/timeout.hpp"
#include "log/log_end.hpp"

namespace terminally {
namespace {

using Seen = Outcome::Seen;

/// The second time with a line that takes away what may hide our builtins.
constexpr int kStartAttempts = 2;
/// How often we look whether a typed line was taken, and when first: most have ended by then.
constexpr Milliseconds kLookForStart{100};
constexpr Milliseconds kFirstLookForStart{20};
/// How often we look whether the tab is still there, and whether its exit code came the second way.
constexpr Milliseconds kHousekeeping{200};
constexpr Milliseconds kQuietHousekeeping{1'000};
/// The same where the log's writer has said that it lost something.
constexpr Milliseconds kEndMissingFromGap{250};
/// The same in a log that grows on: what runs in the background may print for ever. But tmux keeps megabytes
/// for a writer that is slow, and END is behind them.
constexpr Milliseconds kEndLate{60'000};
constexpr Milliseconds kEndLateFromGap{10'000};
/// How long after the end of a nested shell the command that opened it may take to end, and tell its code.
constexpr Milliseconds kOuterEnds{1'000};
/// The same where no command of ours opened it: the tab, or tmux, may be ending just now.
constexpr Milliseconds kTabEnds{150};

template <typename... States, typename State>
bool is_one_of(const State& state) {
  return (std::holds_alternative<States>(state) || ...);
}

Milliseconds patience_for_end(const CommandSenses& seen) {
  return seen.log_has_gap() ? kEndMissingFromGap : CommandLife::kEndMissing;
}

/// Whether `next_look` has come. If so, sets the next one.
bool is_due(Clock::time_point& next_look, const CommandLife::Look& look) {
  const bool due = look.now >= next_look;
  next_look = due ? look.now + kHousekeeping : next_look;
  look.todo.look_by(next_look);
  return due;
}

/// Where tmux is gone, what ran in the tab is ending, one after the other.
bool is_tab_gone(const CommandSenses& seen) {
  return !seen.tab_lives() || !seen.tmux_lives();
}

/// A second line is typed only where the first one is known to run nothing, now and later.
CommandLife::State not_taken(const CommandLife::Typed& state, const CommandLife::Look& look) {
  if (!state.for_certain) {
    return lost(Seen::not_typed, Reason::no_shell_answered);
  }
  if (state.attempt == kStartAttempts) {
    return untaken();
  }
  if (is_called_off(look.seen.requested(), look.now)) {
    return called_off(look.seen.requested());
  }
  look.todo.add(act::Withdraw{});
  return CommandLife::Approaching{state.attempt + 1};
}

}  // namespace

bool Untaken::look(const CommandSenses& seen, Milliseconds patience, Clock::time_point now, Todo& todo) {
  if (!seen.in_files() || seen.has_begun() || !seen.foreground().its_shell_waits) {
    state_ = Unseen{};
    return false;
  }
  if (std::holds_alternative<ScriptIsGone>(state_)) {
    return true;
  }
  if (std::holds_alternative<Unseen>(state_)) {
    state_ = Waits{now};
  }
  if (now - std::get<Waits>(state_).since >= patience) {
    state_ = ScriptIsGone{};
    todo.add(act::RemoveScript{});
    todo.look_by(now);
  }
  return false;
}

CommandLife::CommandLife(Found found, Clock::time_point now)
    : give_up_at_(now),
      state_(found == Found::running ? State(Running{now, now, now + kHousekeeping}) : State(TabGone{})) {}

bool CommandLife::is_followed() const {
  return !is_one_of<Approaching, Typing, Clearing, Typed, Outcome>(state_);
}

Todo CommandLife::step(const CommandSenses& seen, Clock::time_point now) {
  Todo todo;
  const Look look{seen, now, todo};
  const std::size_t before = state_.index();
  if (is_one_of<Running, EndIsLate, AsksTmux, LastChance, EndsRestWithoutEnd, ShellGone>(state_)) {
    if (auto end = end_of_followed(look)) {
      state_ = *end;
    } else {
      termination_.step(seen, now, todo);
    }
  }
  if (state_.index() == before) {
    state_ = std::visit([this, &look](auto state) { return this->next(state, look); }, State(state_));
  }
  if (state_.index() != before) {
    todo.look_by(now);
  }
  return todo;
}

void CommandLife::did(Did what, Clock::time_point now) {
  if (const auto* approaching = std::get_if<Approaching>(&state_)) {
    state_ = Typing{approaching->attempt};
  } else if (const auto* clearing = std::get_if<Clearing>(&state_)) {
    state_ = Approaching{clearing->attempt};
  } else if (const auto* typing = std::get_if<Typing>(&state_); typing != nullptr && what == Did::not_typed) {
    state_ = Clearing{typing->attempt};
  } else if (typing != nullptr) {
    const bool certain = what == Did::typed;
    state_ = Typed{typing->attempt, certain, std::max(give_up_at_, now + Untaken::kUnanswered),
                   certain ? now + kFirstLookForStart : now};
  }
}

CommandLife::State CommandLife::next(Approaching state, const Look& look) const {
  look.todo.add(act::Approach{});
  look.todo.look_by(look.now);
  return state;
}

CommandLife::State CommandLife::next(Typing state, const Look& look) const {
  look.todo.add(act::Type{state.attempt});
  look.todo.look_by(look.now);
  return state;
}

CommandLife::State CommandLife::next(Clearing state, const Look& look) const {
  if (is_called_off(look.seen.requested(), look.now)) {
    return called_off(look.seen.requested());
  }
  look.todo.add(act::Withdraw{});
  look.todo.add(act::ClearPrompt{});
  look.todo.look_by(look.now);
  return state;
}

/// Waits until it began, ended, or is known never to begin. When the time is over nothing is known: a slow
/// link, a stopped log writer. It is followed all the same, and a late START is taken.
CommandLife::State CommandLife::next(Typed state, const Look& look) const {
  const CommandSenses& seen = look.seen;
  const Running running{look.now, look.now, look.now + kHousekeeping};
  if (seen.has_start()) {
    return running;
  }
  if (look.now < state.first_look && !seen.end()) {
    look.todo.look_by(state.first_look);
    return state;
  }
  const bool taken = seen.in_files() && seen.may_be_taken();
  if (const auto end = seen.end()) {
    // The shell died before it took the command; there is a new shell.
    return end->by == Marker::By::shell && seen.in_files() && !taken ? not_taken(state, look)
                                                                     : State(running);
  }
  if (taken) {
    state.taken_since = state.taken_since.value_or(look.now);
    if (look.now - *state.taken_since > Untaken::kUnanswered || seen.exit_code()) {
      return running;  // START is late (a stopped log writer), or lost
    }
  }
  const Milliseconds patience = state.for_certain ? Untaken::kUnanswered : Milliseconds(0);
  if (state.untaken.look(seen, patience, look.now, look.todo)) {
    return not_taken(state, look);
  }
  if (!seen.tab_lives()) {
    return seen.in_files() && !taken ? State(lost(Seen::not_begun, Reason::tab_closed)) : State(running);
  }
  if (look.now >= state.until) {
    return running;
  }
  look.todo.look_by(std::min(state.until, look.now + kLookForStart));
  return state;
}

std::optional<CommandLife::State> CommandLife::end_of_followed(const Look& look) const {
  if (look.seen.end()) {
    return EndRead{};
  }
  const auto unreadable = look.seen.log_unreadable_since();
  const bool log_is_lost = unreadable && look.now - *unreadable > kLogComesBack;
  if ((termination_.has_failed() || log_is_lost) && look.seen.exit_code()) {
    return by_exit_file(Seen::exit_file, termination_.why(look.seen.requested()), look.seen.exit_code());
  }
  if (termination_.has_failed()) {
    return lost(Seen::gave_up, termination_.why(look.seen.requested()));
  }
  if (log_is_lost) {
    return lost(Seen::log_unreadable, Reason::none);
  }
  return std::nullopt;
}

CommandLife::State CommandLife::next(Running state, const Look& look) const {
  const CommandSenses& seen = look.seen;
  if (seen.log_grew() > state.looked) {
    state.next_look = std::min(state.next_look, seen.log_grew() + kHousekeeping);
  }
  if (seen.log_unreadable_since()) {
    state.next_look = look.now + kHousekeeping;
  }
  if (look.now < state.next_look) {
    look.todo.look_by(state.next_look);
    return state;
  }
  state.looked = look.now;
  look.todo.add(act::LookForShells{});
  if (is_tab_gone(look.seen)) {
    return TabGone{};
  }
  if (seen.has_start()) {
    look.todo.add(act::RestoreFiles{});
  }
  if (state.untaken.look(seen, Untaken::kUnanswered, look.now, look.todo)) {
    return untaken();
  }
  if (look.todo.look_at <= look.now) {
    return state;  // it is looked at once more, now
  }
  if (seen.exit_code()) {
    return EndIsLate{look.now, look.now + kHousekeeping};
  }
  // Where no command of ours opened the nested shell, no other end tells us.
  if (is_left_by_its_shell(seen)) {
    return ShellGone{look.now, look.now + kHousekeeping};
  }
  const auto quiet = look.now - std::max(state.since, seen.log_grew());
  state.next_look = look.now + (termination_.why(seen.requested()) != Reason::none
                                    ? kHousekeeping
                                    : pause_after(quiet, kHousekeeping, kQuietHousekeeping));
  look.todo.look_by(state.next_look);
  return state;
}

bool CommandLife::hurries(const Look& look) const {
  return termination_.why(look.seen.requested()) != Reason::none ||
         look.now >= look.seen.requested().deadline;
}

bool CommandLife::may_be_late(const EndIsLate& state, const Look& look) const {
  const auto latest = look.seen.log_has_gap() ? kEndLateFromGap : kEndLate;
  const bool may_come =
      look.seen.log_unreadable_since() || look.now - look.seen.log_grew() < patience_for_end(look.seen);
  return !hurries(look) && may_come && look.now - state.since < latest;
}

CommandLife::State CommandLife::next(EndIsLate state, const Look& look) const {
  const CommandSenses& seen = look.seen;
  if (!is_due(state.next_look, look)) {
    return state;
  }
  if (is_tab_gone(look.seen)) {
    return TabGone{};
  }
  if (look.now - state.since < patience_for_end(seen) || may_be_late(state, look)) {
    return state;
  }
  if (!seen.log_writer_is_stopped()) {
    look.todo.add(act::Begin{LongAct::ask_tmux});
    return AsksTmux{state};
  }
  return hurries(look) ? State(LastChance{state, Seen::log_stands_still, look.now, look.now}) : State(state);
}

CommandLife::State CommandLife::next(AsksTmux state, const Look& look) const {
  if (look.seen.state_of(LongAct::ask_tmux) == ActState::going) {
    return state;
  }
  if (look.seen.tmux_answered()) {
    return LastChance{state.late, Seen::exit_file, look.now, look.now + patience_for_end(look.seen)};
  }
  if (!hurries(look)) {
    return EndIsLate{state.late.since, look.now + kHousekeeping};
  }
  return LastChance{state.late, Seen::tmux_stands_still, look.now, look.now};
}

CommandLife::State CommandLife::next(LastChance state, const Look& look) const {
  if (look.now < state.until && look.seen.log_grew() <= state.begin) {
    look.todo.look_by(state.until);
    return state;
  }
  if (may_be_late(state.late, look)) {
    return EndIsLate{state.late.since, look.now + kHousekeeping};
  }
  if (termination_.why(look.seen.requested()) != Reason::none) {
    look.todo.add(act::Await{LongAct::end_rest});
    return EndsRestWithoutEnd{state.by};
  }
  return by_exit_file(state.by, termination_.why(look.seen.requested()), look.seen.exit_code());
}

CommandLife::State CommandLife::next(EndsRestWithoutEnd state, const Look& look) const {
  return by_exit_file(state.by, termination_.why(look.seen.requested()), look.seen.exit_code());
}

CommandLife::State CommandLife::next(ShellGone state, const Look& look) const {
  const CommandSenses& seen = look.seen;
  if (!is_due(state.next_look, look)) {
    return state;
  }
  if (is_tab_gone(look.seen)) {
    return TabGone{};
  }
  if (seen.exit_code()) {
    return EndIsLate{look.now, look.now + kHousekeeping};
  }
  const Milliseconds patience = seen.is_outermost() ? kTabEnds : kOuterEnds;
  if (look.now - state.since > patience && !seen.one_around_is_ending()) {
    return lost(Seen::shell_gone, termination_.why(seen.requested()));
  }
  return state;
}

CommandLife::State CommandLife::next(TabGone state, const Look& look) const {
  if (look.seen.state_of(LongAct::read_log_out) != ActState::done) {
    look.todo.add(act::Await{LongAct::read_log_out});
    look.todo.look_by(look.now);
    return state;
  }
  if (const auto end = look.seen.end()) {
    return outcome_of(*end, termination_.why(look.seen.requested()), false, false);
  }
  return lost(Seen::tab_gone, look.seen.tmux_lives() ? Reason::tab_closed : Reason::tmux_server_lost);
}

CommandLife::State CommandLife::next(EndRead /*state*/, const Look& look) const {
  if (termination_.why(look.seen.requested()) != Reason::none) {
    look.todo.add(act::Await{LongAct::end_rest});
    return EndsRest{};
  }
  look.todo.add(act::Await{LongAct::settle_prompt});
  return SettlesPrompt{};
}

CommandLife::State CommandLife::next(EndsRest /*state*/, const Look& look) const {
  look.todo.add(act::Await{LongAct::settle_prompt});
  return SettlesPrompt{};
}

CommandLife::State CommandLife::next(SettlesPrompt /*state*/, const Look& look) const {
  const CommandSenses& seen = look.seen;
  return outcome_of(*seen.end(), termination_.why(seen.requested()), seen.typed_by_others(),
                    seen.is_stopped());
}

}  // namespace terminally
