#pragma once

#include <variant>
#include <vector>

#include "base/timeout.hpp"
#include "command/senses.hpp"

namespace terminally {

/// What a command's life has done for it. The first three come one at a time and are told of by
/// CommandLife::did.
namespace act {

/// Comes to the prompt of a shell, and looks whether a command may be typed there.
struct Approach {};
struct Type {
  int attempt = 1;  ///< the second time with a line that takes away what may hide our builtins
};
/// What somebody may have left at the prompt is taken away.
struct ClearPrompt {};
/// It was not run: its files and its record go.
struct Withdraw {};

/// From then on its typed line runs nothing.
struct RemoveScript {};
/// What the shell needs at its end, should somebody have removed it.
struct RestoreFiles {};
/// Whether it has become a nested shell.
struct LookForShells {};
/// That it is being ended: whoever comes after us goes on with it.
struct RecordTermination {
  Reason why = Reason::none;
  bool force = false;
};
/// Its time-out does not end it, and its result says so.
struct Spare {};
/// To the group that has the foreground; with `shell_goes_on` also SIGINT to the shell, which would run the
/// next one.
struct SignalGroup {
  int group = 0;
  int signal = 0;
  bool shell_goes_on = false;
};
/// To the shell that it was typed into.
struct SignalShell {
  int signal = 0;
};
/// Goes on beside everything else.
struct Begin {
  LongAct act;
};
/// Nothing is looked at until it is done.
struct Await {
  LongAct act;
};

}  // namespace act

using Act = std::variant<act::Approach, act::Type, act::ClearPrompt, act::Withdraw, act::RemoveScript,
                         act::RestoreFiles, act::LookForShells, act::RecordTermination, act::Spare,
                         act::SignalGroup, act::SignalShell, act::Begin, act::Await>;

/// What is to be done now, in this order, and when to look again unless something happens before.
struct Todo {
  std::vector<Act> acts;
  Clock::time_point look_at = Clock::time_point::max();

  void add(Act act) { acts.push_back(act); }
  void look_by(Clock::time_point when) { look_at = look_at < when ? look_at : when; }
};

}  // namespace terminally
