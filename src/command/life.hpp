#pragma once

#include <optional>
#include <variant>

#include "command/act.hpp"
#include "command/outcome.hpp"
#include "command/senses.hpp"
#include "command/termination.hpp"

namespace terminally {

/// What was done of an Act that CommandLife waits for.
enum class Did {
  reached_prompt,
  typed,          ///< or held by tmux: it comes, or is taken away
  perhaps_typed,  ///< it failed, and may have been typed all the same
  not_typed,      ///< somebody else may have typed there, or nobody wants it any more
  cleared,
};

/// A shell that shows its prompt where a command was typed, and has not taken it. It cannot take it later:
/// its script is gone before the last look. Of a shell elsewhere only its own answer would tell.
class Untaken {
 public:
  /// True: it never will be taken. To be asked at each look.
  [[nodiscard]] bool look(const CommandSenses& seen, Milliseconds patience, Clock::time_point now,
                          Todo& todo);

  /// How long a shell shows a prompt until the line that was typed there counts as lost. Generous: a loaded
  /// machine.
  static constexpr Milliseconds kUnanswered{1'500};

 private:
  struct Unseen {};
  struct Waits {
    Clock::time_point since;
  };
  struct ScriptIsGone {};
  std::variant<Unseen, Waits, ScriptIsGone> state_;
};

/// The life of one command as a pure machine: what is seen goes in, what is to be done comes out. It knows no
/// process, file or terminal, waits for nothing, and has no clock.
///
///     approaching ─ typing ─ typed ─ running ─ ending ─ over
///
/// `approaching` and `typing` come again after `clearing` (somebody had typed there), and once after a line
/// that was certainly not taken. While it runs, Termination does what makes it end.
class CommandLife {
 public:
  /// How long END may be missing after the exit code is known, while nothing comes into the log.
  static constexpr Milliseconds kEndMissing{1'000};

  /// One to be typed. `give_up_at`: until when its beginning is waited for.
  explicit CommandLife(Clock::time_point give_up_at) : give_up_at_(give_up_at), state_(Approaching{}) {}
  /// One that was typed already, by another process.
  enum class Found { running, in_closed_tab };
  CommandLife(Found found, Clock::time_point now);

  [[nodiscard]] Todo step(const CommandSenses& seen, Clock::time_point now);
  /// The act that it waits for is done.
  void did(Did what, Clock::time_point now);

  /// It was typed: it runs, or may, and is to be followed.
  [[nodiscard]] bool is_followed() const;
  /// nullopt while it goes on.
  [[nodiscard]] const Outcome* outcome() const { return std::get_if<Outcome>(&state_); }
  [[nodiscard]] const Termination& termination() const { return termination_; }

  // Its states, and what a look has: for the functions of life.cpp.
  struct Approaching {
    int attempt = 1;
  };
  struct Typing {
    int attempt = 1;
  };
  struct Clearing {
    int attempt = 1;
  };
  struct Typed {
    int attempt = 1;
    bool for_certain = true;
    Clock::time_point until;
    Clock::time_point first_look;  ///< a shell at its prompt begins before that, and nothing is to be seen
    Untaken untaken = {};
    std::optional<Clock::time_point> taken_since = std::nullopt;
  };
  /// Its END comes, or one of the other ends is seen.
  struct Running {
    Clock::time_point since;
    Clock::time_point looked;
    Clock::time_point next_look;
    Untaken untaken = {};
  };
  /// Its exit code is known, and END is not in the log: it is late as long as bytes come, or may come from a
  /// frozen tmux or a stopped writer. Only a deadline cannot wait for it.
  struct EndIsLate {
    Clock::time_point since;
    Clock::time_point next_look;
  };
  struct AsksTmux {
    EndIsLate late;
  };
  struct LastChance {
    EndIsLate late;
    Outcome::Seen by;  ///< what it ends by, should END not come
    Clock::time_point begin;
    Clock::time_point until;
  };
  struct EndsRestWithoutEnd {
    Outcome::Seen by;
  };
  /// The shell that it was typed into is gone, within another.
  struct ShellGone {
    Clock::time_point since;
    Clock::time_point next_look;
  };
  struct TabGone {};
  struct EndRead {};
  struct EndsRest {};
  struct SettlesPrompt {};
  using State =
      std::variant<Approaching, Typing, Clearing, Typed, Running, EndIsLate, AsksTmux, LastChance,
                   EndsRestWithoutEnd, ShellGone, TabGone, EndRead, EndsRest, SettlesPrompt, Outcome>;

  /// One look.
  struct Look {
    const CommandSenses& seen;
    Clock::time_point now;
    Todo& todo;
  };

 private:
  // What comes after each of them; the same: nothing changes.
  [[nodiscard]] State next(Approaching state, const Look& look) const;
  [[nodiscard]] State next(Typing state, const Look& look) const;
  [[nodiscard]] State next(Clearing state, const Look& look) const;
  [[nodiscard]] State next(Typed state, const Look& look) const;
  [[nodiscard]] State next(Running state, const Look& look) const;
  [[nodiscard]] State next(EndIsLate state, const Look& look) const;
  [[nodiscard]] State next(AsksTmux state, const Look& look) const;
  [[nodiscard]] State next(LastChance state, const Look& look) const;
  [[nodiscard]] State next(EndsRestWithoutEnd state, const Look& look) const;
  [[nodiscard]] State next(ShellGone state, const Look& look) const;
  [[nodiscard]] State next(TabGone state, const Look& look) const;
  [[nodiscard]] State next(EndRead state, const Look& look) const;
  [[nodiscard]] State next(EndsRest state, const Look& look) const;
  [[nodiscard]] State next(SettlesPrompt state, const Look& look) const;
  [[nodiscard]] static State next(Outcome state, const Look& /*look*/) { return state; }

  [[nodiscard]] std::optional<State> end_of_followed(const Look& look) const;
  [[nodiscard]] bool may_be_late(const EndIsLate& state, const Look& look) const;
  [[nodiscard]] bool hurries(const Look& look) const;

  Clock::time_point give_up_at_;
  State state_;
  Termination termination_;
};

}  // namespace terminally
