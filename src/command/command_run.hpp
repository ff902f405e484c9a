#pragma once

#include <functional>
#include <memory>

#include "command/command_end.hpp"
#include "command/evidence.hpp"
#include "tab/shell_gateway.hpp"

namespace terminally {

class CommandRun;
using RunPtr = std::shared_ptr<CommandRun>;

/// One command of a tab: asks its CommandLife what to do with the Evidence, and has that done. Kept alive by
/// its coroutines and by the tab's list.
class CommandRun : public std::enable_shared_from_this<CommandRun> {
 public:
  /// `record`: has the text of a command that `start_run` is to type, or all of one that was typed already,
  /// by another process: to be settled and followed. `owner`: as RecordKeeper.
  CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record,
             FileLock owner = FileLock());

  /// Looks after the command until it ended: scans the log, keeps the deadline, carries out what
  /// `request_end` asked for, records the end. To be spawned once, after `start_run`.
  [[nodiscard]] boost::asio::awaitable<void> follow();

  /// When the command is interrupted as by `request_end`. The time is on record: a server after us keeps it.
  void set_deadline(Clock::time_point when);
  /// Its deadline ends no program that may wait for the keyboard where that cannot be seen. On record, too.
  void spare_unseen();

  /// C-c at once, SIGTERM after 500 ms, SIGKILL after 5 s (`force`: at once), until the shell is back.
  /// Returns at once.
  void request_end(Reason why, bool force);

  /// One signal of ours, without escalation: whatever ends the command now counts as ended by us.
  [[nodiscard]] boost::asio::awaitable<void> signal_once(StopSignal signal) {
    return acts_.signal_once(signal);
  }
  /// Whether the foreground program was started just before signal_once: a SIGINT between its fork and its
  /// exec is lost. What comes behind a program that was there to have it is another one.
  [[nodiscard]] bool signal_came_too_early() const {
    return acts_.found().signal_may_be_lost && evidence_.foreground().missed_key;
  }

  /// The call has answered while `start_run` goes on: the command is not typed again, under another id.
  void call_has_answered() { state_.requested.answered = true; }

  /// Whether something of ours is ending the command.
  [[nodiscard]] bool is_interrupted() const { return state_.is_interrupted(); }
  /// The same without the one signal of signal_once, which it may outlive: its end is only a matter of time.
  [[nodiscard]] bool is_being_ended() const { return state_.is_being_ended(); }
  /// As RecordKeeper::may_be_typed.
  [[nodiscard]] bool may_be_typed() const { return record_.may_be_typed(); }
  /// Whether the command ended before it was typed, or taken: cancelled, or out of time.
  [[nodiscard]] bool was_called_off() const;
  /// Whether the command is known to have been taken by its shell: its START was seen, or the shell said so
  /// in its file. Else it may have been, and may still be.
  [[nodiscard]] bool has_begun() const { return evidence_.has_begun(); }
  /// Whether it is certain that the command never began, and never will, as two looks tell.
  [[nodiscard]] bool is_left_untaken();
  /// A command whose END was read is on record by then.
  static constexpr Milliseconds kConcludes{100};

  [[nodiscard]] const CommandRecord& record() const { return *record_; }
  [[nodiscard]] bool has_ended() const { return state_.has_ended(); }
  [[nodiscard]] boost::asio::awaitable<void> wait_for_end() { return state_.ended.wait(); }
  /// Waits until then at most; says whether the command has ended.
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_end_by(Clock::time_point when) {
    return state_.ended.wait_by(when);
  }
  [[nodiscard]] CommandOutput& output() { return output_; }
  [[nodiscard]] CommandShells& shells() { return shells_; }
  [[nodiscard]] const CommandShells& shells() const { return shells_; }
  [[nodiscard]] CommandEnd& ending() { return ending_; }

 private:
  friend class CommandTyping;  // of start_run
  /// Carries out what comes up only while a command is typed.
  using Typist = std::function<boost::asio::awaitable<void>(Act)>;

  [[nodiscard]] boost::asio::awaitable<void> live(const Typist& typist);
  [[nodiscard]] boost::asio::awaitable<void> carry_out(Act act, const Typist& typist);
  void heed_other_processes();

  RunContext& context_;
  std::shared_ptr<Tab> tab_;
  std::unique_ptr<PaneTerminal> terminal_;
  LogWatch::Watch watch_;
  // Each of these uses those before it.
  RunState state_;
  RecordKeeper record_;
  CommandOutput output_;
  HowTyped typed_;
  CommandShells shells_;
  CommandActs acts_;
  Evidence evidence_;
  CommandEnd ending_;
};

/// Whether this process looks after the command.
[[nodiscard]] bool has_run(const Tab& tab, const std::string& id);

/// Waits for the end of a command that is of no use to anybody behind its call: where its time is over, or
/// its client leaves, it is ended, as by `request_end`. Says whether it ended by itself.
[[nodiscard]] boost::asio::awaitable<bool> ended_or_called_off(RunPtr run, Clock::time_point by, Reason why);

/// Waits for the prompt, types the command, once, and waits until it began. On return the command runs, has
/// ended already (`no_shell_answered`: nothing was run), or the time is over and nothing is known
/// (`has_begun`): then it is to be followed as well. Throws Error where nothing was run: then
/// CommandEnd::abandon leaves nothing behind. `input`: ShellCommand::input, where the shell reads our files.
/// `meant_for`: as refuse_if_gone.
[[nodiscard]] boost::asio::awaitable<void> start_run(RunPtr run, Clock::time_point called,
                                                     Clock::time_point give_up_at,
                                                     std::filesystem::path input = {},
                                                     std::optional<MeantShell> meant_for = std::nullopt);

}  // namespace terminally
