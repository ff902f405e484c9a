#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "command/act.hpp"
#include "command/senses.hpp"
#include "tab/escalation.hpp"

namespace terminally {

/// What makes a command end: its time, or somebody who asks for it. Part of CommandLife, and as pure.
///
/// What may still be on its way is not interrupted: it would be, should it come. But when it comes late, its
/// END may be right behind.
class Termination {
 public:
  void step(const CommandSenses& seen, Clock::time_point now, Todo& todo);

  /// Why its end is ours; none: it is not.
  [[nodiscard]] Reason why(const Requested& requested) const;
  /// It is being ended, or was.
  [[nodiscard]] bool has_pressed() const { return pressed() != nullptr; }
  /// Everything was done, and it has not ended.
  [[nodiscard]] bool has_failed() const { return std::holds_alternative<GivenUp>(state_); }
  /// By SIGKILL: it had no time to put the terminal back.
  [[nodiscard]] bool has_killed() const;

 private:
  struct NotDue {};    ///< nobody wants its end, and it has time
  struct NotBegun {};  ///< its time is over, and it may still come to run
  struct BeginsLate {
    Clock::time_point until;
  };
  /// What has ended is read first: this process may have been stopped, or the machine asleep.
  struct ReadsBehind {
    Clock::time_point until;
  };
  struct EndedInTime {};
  struct Pressed {
    Pressed(Reason reason, Escalation begun) : why(reason), escalation(std::move(begun)) {}

    Reason why;
    Escalation escalation;
    // What went out.
    int key_again = 0;  ///< the group that had its signal, for one that may have missed it
    int told_over = 0;  ///< the group that the shell was told of not to go on behind it
    bool program_killed = false;
    bool shell_killed = false;
    std::optional<Clock::time_point> at_prompt;
    Clock::time_point next_look;
    std::optional<Clock::time_point> shell_works;  ///< since when it runs something itself
    Clock::time_point next_to_shell;
  };
  struct GivesUp {
    Pressed pressed;
  };
  struct GivenUp {
    Pressed pressed;
  };
  using State =
      std::variant<NotDue, NotBegun, BeginsLate, ReadsBehind, EndedInTime, Pressed, GivesUp, GivenUp>;

  [[nodiscard]] static State begin(Reason why, const CommandSenses& seen, Clock::time_point now, Todo& todo);
  [[nodiscard]] static State time_is_over(const CommandSenses& seen, Clock::time_point now);
  [[nodiscard]] static State press(Pressed pressed, const CommandSenses& seen, Clock::time_point now,
                                   Todo& todo);
  static void press_what_runs(Pressed& pressed, const CommandSenses& seen, Milliseconds patience,
                              Clock::time_point now, Todo& todo);
  [[nodiscard]] static Milliseconds kill_shell_at(const Pressed& pressed, bool its_shell,
                                                  Milliseconds patience, Clock::time_point now);
  static void press_program(Pressed& pressed, const SeenForeground& program, Todo& todo);
  static void press_shell(Pressed& pressed, Clock::time_point now, Todo& todo);
  static void mend_prompt(Pressed& pressed, const CommandSenses& seen, bool at_prompt, Clock::time_point now,
                          Todo& todo);
  [[nodiscard]] const Pressed* pressed() const;

  State state_;
};

}  // namespace terminally
