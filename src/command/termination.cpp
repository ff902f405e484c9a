// What makes a command end: its time, C-c, SIGTERM, SIGKILL, for each new foreground group until the shell is
// back.

#include "command/termination.hpp"

#include <signal.h>

#include <algorithm>
#include <utility>

namespace terminally {
namespace {

using Who = SeenForeground::Who;

constexpr Milliseconds kLook{50};
/// How often we look whether one that may still come has begun.
constexpr Milliseconds kLookForBegin{200};
constexpr Milliseconds kLateEnd{300};
/// How long a log that we are behind in is read before a deadline is judged.
constexpr Milliseconds kReadsBehind{1'000};
constexpr Milliseconds kKeyAgainAfter{200};
/// When the shell is killed where a program was before it: it may be coming back to its prompt.
constexpr Milliseconds kKillShellAfter{5'400};
/// How long a forced end waits for the shell.
constexpr Milliseconds kForcedPatience{400};
/// Every call returns by its deadline plus 6 s.
constexpr Milliseconds kGiveUpAfter{350};
/// How long a shell may sit at its prompt after our C-c before its hook counts as lost and the probe is
/// typed.
constexpr Milliseconds kHookLost{400};
constexpr Milliseconds kToShellAgain{500};
/// How long a shell may take over the end of its program: a SIGINT meanwhile would be told as how that ended.
constexpr Milliseconds kShellComesBack{250};

}  // namespace

Termination::State Termination::begin(Reason why, const CommandSenses& seen, Clock::time_point now,
                                      Todo& todo) {
  const bool force = seen.requested().force;
  todo.add(act::RecordTermination{why, force});
  if (!force && !is_left_by_its_shell(seen)) {
    todo.add(act::Begin{LongAct::press_interrupt_key});
  }
  todo.look_by(now);
  return Pressed(why, Escalation(kEndCommand, force, now));
}

Termination::State Termination::time_is_over(const CommandSenses& seen, Clock::time_point now) {
  if (!seen.has_begun()) {
    return NotBegun{};
  }
  return ReadsBehind{now + kReadsBehind};
}

void Termination::step(const CommandSenses& seen, Clock::time_point now, Todo& todo) {
  const Requested requested = seen.requested();
  const bool waits = pressed() == nullptr;
  if (waits && requested.ends) {
    state_ = begin(requested.why, seen, now, todo);
    return;
  }
  if (std::holds_alternative<NotDue>(state_)) {
    if (now < requested.deadline) {
      todo.look_by(requested.deadline);
      return;
    }
    if (requested.spares_unseen && seen.has_begun() && seen.foreground().unseen) {
      todo.add(act::Spare{});
      return;
    }
    state_ = time_is_over(seen, now);
  }
  if (std::holds_alternative<NotBegun>(state_)) {
    if (!seen.has_begun()) {
      todo.add(act::RemoveScript{});
      todo.look_by(now + kLookForBegin);
      return;
    }
    state_ = BeginsLate{now + kLateEnd};
  }
  if (const auto* late = std::get_if<BeginsLate>(&state_)) {
    if (now < late->until) {
      todo.look_by(late->until);
      return;
    }
    state_ = ReadsBehind{now + kReadsBehind};
  }
  if (const auto* behind = std::get_if<ReadsBehind>(&state_)) {
    if (seen.log_goes_on() && now < behind->until) {
      todo.look_by(behind->until);
      return;
    }
    if (seen.exit_code() || is_left_by_its_shell(seen)) {
      state_ = EndedInTime{};
      return;
    }
    state_ = begin(requested.why == Reason::none ? Reason::timeout : requested.why, seen, now, todo);
    return;
  }
  if (auto* pressed = std::get_if<Pressed>(&state_)) {
    state_ = press(std::move(*pressed), seen, now, todo);
  } else if (auto* gives_up = std::get_if<GivesUp>(&state_);
             gives_up != nullptr && seen.state_of(LongAct::end_rest) == ActState::done) {
    state_ = GivenUp{std::move(gives_up->pressed)};
    todo.look_by(now);
  }
}

Termination::State Termination::press(Pressed pressed, const CommandSenses& seen, Clock::time_point now,
                                      Todo& todo) {
  pressed.escalation.look(now);
  if (seen.requested().force) {
    pressed.escalation.force();
  }
  // A shell whose program has just ended is on its way back for a moment: news in the log is no reason to
  // look sooner.
  if (now < pressed.next_look || seen.state_of(LongAct::press_interrupt_key) == ActState::going) {
    todo.look_by(now < pressed.next_look ? pressed.next_look : now + kLook);
    return pressed;
  }
  pressed.next_look = now + kLook;
  todo.look_by(pressed.next_look);
  const bool forced = pressed.escalation.is_forced();
  const Milliseconds patience = forced ? kForcedPatience : kKillShellAfter;
  if (!seen.exit_code()) {  // else it has ended, and only END is missing
    press_what_runs(pressed, seen, patience, now, todo);
  }
  const bool ends_with_shell = is_left_by_its_shell(seen) && !pressed.shell_killed;  // which is told soon
  if (pressed.escalation.elapsed() >= patience + kGiveUpAfter && !ends_with_shell) {
    todo.add(act::Begin{LongAct::end_rest});
    return GivesUp{std::move(pressed)};
  }
  return pressed;
}

/// What has the foreground; in the end its shell.
void Termination::press_what_runs(Pressed& pressed, const CommandSenses& seen, Milliseconds patience,
                                  Clock::time_point now, Todo& todo) {
  const SeenForeground foreground = seen.foreground();
  const bool its_shell = foreground.who == Who::its_shell;
  const bool shell_works = its_shell && (!foreground.at_prompt || !foreground.keys_signal);
  pressed.shell_works = shell_works ? std::optional(pressed.shell_works.value_or(now)) : std::nullopt;
  if (shell_works) {
    if (seen.shell_can_be_told() && now - *pressed.shell_works >= kShellComesBack) {
      press_shell(pressed, now, todo);
    }
  } else if (!its_shell && foreground.who != Who::nobody) {
    press_program(pressed, foreground, todo);
  }
  mend_prompt(pressed, seen, its_shell && foreground.at_prompt, now, todo);
  if (pressed.escalation.elapsed() >= kill_shell_at(pressed, its_shell, patience, now) &&
      !pressed.shell_killed && seen.shell_can_be_told()) {
    pressed.shell_killed = true;
    todo.add(act::SignalShell{SIGKILL});  // of the tab's own, terminally-shell prints END and starts another
  }
}

Milliseconds Termination::kill_shell_at(const Pressed& pressed, bool its_shell, Milliseconds patience,
                                        Clock::time_point now) {
  if (its_shell && !pressed.program_killed) {
    return std::min(patience, kEndCommand.kill_after);
  }
  // On a busy machine a program that was killed by force may have ended only just now.
  const bool comes_back = pressed.escalation.is_forced() && pressed.program_killed && pressed.shell_works &&
                          now - *pressed.shell_works < kShellComesBack;
  return comes_back ? patience + kShellComesBack : patience;
}

/// SIGTERM once, later SIGKILL. Of these no shell but the one that is told leaves the rest of its text; where
/// there is none, it is not told, and the exit code is that of the signal. One that our C-c may have missed
/// has it again: of that bash ends its text, of SIGTERM it does not. A C-c that comes as bash forks is lost,
/// and a loop of brief programs goes on with the next, which has it then.
void Termination::press_program(Pressed& pressed, const SeenForeground& program, Todo& todo) {
  Escalation& escalation = pressed.escalation;
  const Pressure pressure = escalation.pressure();
  const auto signal_group = [&](int signal) {
    const bool had_no_key = program.missed_key && program.group != pressed.key_again;
    const bool goes_on = program.shell_goes_on || escalation.pressed() > 1 || had_no_key;
    const bool told = goes_on && std::exchange(pressed.told_over, program.group) == program.group;
    todo.add(act::SignalGroup{program.group, signal, goes_on && !told});
  };
  if (pressure == Pressure::kill) {
    static_cast<void>(escalation.is_due(program.group));
    pressed.program_killed = true;
    signal_group(SIGKILL);
  } else if (pressure == Pressure::terminate && program.who != Who::gateway) {
    if (!program.deaf_fork && escalation.is_due(program.group)) {
      // A shell at its prompt does not hear SIGTERM. With SIGHUP it ends as when its terminal is closed.
      signal_group(program.who == Who::opened_shell ? SIGHUP : SIGTERM);
    }
  } else if (pressed.key_again != program.group && escalation.elapsed() >= kKeyAgainAfter &&
             program.missed_key) {
    pressed.key_again = program.group;
    todo.add(act::SignalGroup{program.group, SIGINT, false});
  }
}

/// The shell runs something itself, and no key of ours came to it as a signal (`stty -isig`).
void Termination::press_shell(Pressed& pressed, Clock::time_point now, Todo& todo) {
  if (pressed.escalation.pressure() != Pressure::ask && now >= pressed.next_to_shell) {
    pressed.next_to_shell = now + kToShellAgain;
    todo.add(act::SignalShell{SIGINT});
  }
}

/// The last resort: our C-c brought the prompt back, but the text had taken the hook away.
void Termination::mend_prompt(Pressed& pressed, const CommandSenses& seen, bool at_prompt,
                              Clock::time_point now, Todo& todo) {
  if (!at_prompt) {
    pressed.at_prompt.reset();
    return;
  }
  pressed.at_prompt = pressed.at_prompt.value_or(now);
  if (seen.state_of(LongAct::type_probe) == ActState::none && !pressed.escalation.is_forced() &&
      seen.can_probe() && now - *pressed.at_prompt > kHookLost) {
    todo.add(act::Begin{LongAct::type_probe});
  }
}

const Termination::Pressed* Termination::pressed() const {
  if (const auto* gives_up = std::get_if<GivesUp>(&state_)) {
    return &gives_up->pressed;
  }
  if (const auto* given_up = std::get_if<GivenUp>(&state_)) {
    return &given_up->pressed;
  }
  return std::get_if<Pressed>(&state_);
}

Reason Termination::why(const Requested& requested) const {
  const Pressed* pressed = this->pressed();
  return pressed != nullptr ? pressed->why : requested.why;
}

bool Termination::has_killed() const {
  const Pressed* pressed = this->pressed();
  return pressed != nullptr && pressed->program_killed;
}

}  // namespace terminally
