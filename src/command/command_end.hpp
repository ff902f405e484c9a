#pragma once

#include <cstdint>
#include <optional>

#include "command/command_acts.hpp"
#include "command/outcome.hpp"

namespace terminally {

/// The end of one command: what its record tells of that, who learns of it, and what is tidied up. With a
/// command end those that were typed into the shells that it had opened. Nothing ends twice.
class CommandEnd {
 public:
  /// All outlive it.
  CommandEnd(const RunContext& context, Tab& tab, RunState& state, RecordKeeper& record,
             CommandOutput& output, const HowTyped& typed, const CommandShells& shells, CommandActs& acts,
             PlaceInTab place)
      : context_(context),
        tab_(tab),
        state_(state),
        record_(record),
        output_(output),
        typed_(typed),
        shells_(shells),
        acts_(acts),
        place_(place) {}

  /// As the life of the command has decided. Throws Error where nothing was run.
  void end_as(const Outcome& outcome);

  /// Ends the command if that is over already, as far as its log and files tell. For one that was typed by
  /// another process. `followed`: by CommandRun::follow, which has the time to ask for what is not written
  /// there.
  void settle(bool followed);

  /// Unless its END is in the log, it will never be known how the command ended. Looks a few milliseconds'
  /// worth ahead: CommandOutput::catch_up first where END may be further.
  /// `output_ends_before`: the log offset before which its output ended, where that is known.
  void give_up(Reason why, std::optional<std::uint64_t> output_ends_before = std::nullopt);

  /// The command failed to be typed, and nothing was run: takes it out of the tab. It ends, as one that never
  /// was, or under the id that the call has answered with.
  void abandon();

 private:
  void conclude();
  void end_with_shell(std::optional<int> exit_code, const CommandEnd& outer);
  [[nodiscard]] std::optional<int> exit_code_of(const ExitReporter& inner_shell) const;
  void note_end(const Outcome& outcome);
  void note_end_of_shell();
  void note_exit_file(Outcome::Seen seen);
  [[nodiscard]] int who_goes_on(const Outcome& outcome) const;
  void finish(const Outcome& outcome);

  const RunContext& context_;
  Tab& tab_;
  RunState& state_;
  RecordKeeper& record_;
  CommandOutput& output_;
  const HowTyped& typed_;
  const CommandShells& shells_;
  CommandActs& acts_;
  PlaceInTab place_;
};

}  // namespace terminally
