#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/background.hpp"
#include "command/act.hpp"
#include "command/command_output.hpp"
#include "command/command_shells.hpp"
#include "command/run_context.hpp"
#include "record/record.hpp"
#include "tab/how_typed.hpp"

namespace terminally {

/// Whether the group may not have been there, or not have had the foreground, at this moment.
[[nodiscard]] bool was_just_started(int group, std::uint64_t ticks);

/// What is done to one command that runs, and what comes of it: signals, and what takes a while.
class CommandActs {
 public:
  struct Found {
    bool tmux_answered = false;
    std::uint64_t key_ticks = 0;         ///< when our last C-c was sent; 0: none was
    bool signal_may_be_lost = false;     ///< that of signal_once: nothing had been running for long
    bool others_typed = false;           ///< somebody else may have typed: see others_typed.hpp
    std::optional<std::string> stopped;  ///< what of the command is stopped, not ended
  };

  /// All outlive it.
  CommandActs(RunContext& context, Tab& tab, PaneTerminal& terminal, LogWatch::Watch& watch, RunState& state,
              RecordKeeper& record, CommandOutput& output, const HowTyped& typed, const CommandShells& shells)
      : context_(context),
        tab_(tab),
        terminal_(terminal),
        watch_(watch),
        state_(state),
        record_(record),
        output_(output),
        typed_(typed),
        shells_(shells) {}

  /// The act goes on beside everything else. `self` keeps the command: the act may run on for a moment when
  /// nobody asks for it any more.
  static void begin(const std::shared_ptr<CommandActs>& self, LongAct act);
  /// Until the act is done. One of its kind that goes on beside is dropped.
  [[nodiscard]] boost::asio::awaitable<void> finish(LongAct act);
  void drop_all() { begun_.clear(); }
  [[nodiscard]] ActState state_of(LongAct act) const;
  [[nodiscard]] const Found& found() const { return found_; }

  /// Ends a foreground group, but for what a script in it has detached. When it is not the first that had to
  /// be ended, the shell goes on with its text from step to step, and is told not to.
  [[nodiscard]] boost::asio::awaitable<void> signal_group(act::SignalGroup signal) const;
  /// As CommandRun::signal_once.
  [[nodiscard]] boost::asio::awaitable<void> signal_once(StopSignal signal);
  /// Whether something of the command is stopped, not ended. Once END was read.
  void look_for_stopped();

 private:
  [[nodiscard]] static boost::asio::awaitable<void> run_beside(std::shared_ptr<CommandActs> self,
                                                               LongAct act);
  [[nodiscard]] boost::asio::awaitable<void> run(LongAct act);
  void is_done(LongAct act);
  /// As of CommandSenses, at the moment of the act: its shell may have ended since the look.
  [[nodiscard]] bool is_left_by_its_shell() const;
  [[nodiscard]] std::optional<ProcessId> shell_to_tell(const act::SignalGroup& signal,
                                                       const Foreground& now) const;
  [[nodiscard]] boost::asio::awaitable<void> type_probe();
  [[nodiscard]] boost::asio::awaitable<void> end_rest();
  [[nodiscard]] boost::asio::awaitable<void> read_log_out();
  [[nodiscard]] boost::asio::awaitable<void> settle_prompt();

  RunContext& context_;
  Tab& tab_;
  PaneTerminal& terminal_;
  LogWatch::Watch& watch_;
  RunState& state_;
  RecordKeeper& record_;
  CommandOutput& output_;
  const HowTyped& typed_;
  const CommandShells& shells_;
  std::map<LongAct, Background> begun_;
  std::map<LongAct, ActState> states_;
  Found found_;
};

}  // namespace terminally
