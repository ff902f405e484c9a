#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/background.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "command/life.hpp"
#include "command/senses.hpp"
#include "log/log_follower.hpp"
#include "system/foreground.hpp"
#include "system/log_watch.hpp"
#include "tab/command_log.hpp"
#include "tab/line_at_prompt.hpp"
#include "tab/markers.hpp"
#include "tab/pane_terminal.hpp"
#include "tab/records.hpp"
#include "tab/results.hpp"
#include "tab/tab.hpp"
#include "tab/tab_processes.hpp"

namespace terminally {

/// What every command needs of its manager. Lives as long as the event loop runs.
struct RunContext {
  boost::asio::any_io_executor executor;
  std::function<std::unique_ptr<PaneTerminal>(const Tab&)> terminal_of;
  LogWatch& watch;
  std::function<bool()> server_alive;
  std::filesystem::path helper;  ///< terminally-shell
  ProcessTable& processes;
  /// A command that is asked for later by its key, where a link may be cut meanwhile: without its record on
  /// disk it is not typed, as "unknown" would be said of one that ran.
  bool keys_are_on_disk = false;
};

class CommandRun;
using RunPtr = std::shared_ptr<CommandRun>;

/// One command of a tab: sees for its CommandLife, does what that decides, and keeps its record. One per
/// command; kept alive by its coroutines and by the tab's list.
class CommandRun : public std::enable_shared_from_this<CommandRun>, private CommandSenses {
 public:
  CommandRun(RunContext& context, std::shared_ptr<Tab> tab, std::string command, std::string who = {},
             std::string task_key = {});

  /// One that was typed already, as its record says: to be settled and followed, not started.
  CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record);

  /// Waits for the prompt, types the command, once, and waits until it began. On return it runs, has ended
  /// already (`no_shell_answered`: nothing was run), or the time is over and nothing is known (`has_begun`):
  /// then it is to be followed as well. Throws Error and leaves nothing behind when nothing was run.
  [[nodiscard]] boost::asio::awaitable<void> start(Clock::time_point called, Clock::time_point give_up_at);

  /// Looks after it until it ended: scans the log, keeps the deadline, carries out what `request_end` asked
  /// for, records the end. To be spawned once, after `start`.
  [[nodiscard]] boost::asio::awaitable<void> follow();

  /// Whether it is over already, as far as its log and files tell; then it is recorded. For one that was
  /// typed by another process.
  /// `followed`: by `follow`, which has the time to ask for what is not written there.
  void settle(bool followed);

  /// When it is interrupted as by `request_end`. It is on record: a server after us keeps it, too.
  void set_deadline(Clock::time_point when);

  /// C-c at once, SIGTERM after 500 ms, SIGKILL after 5 s (`force`: at once), until the shell is back.
  /// Returns at once.
  void request_end(Reason why, bool force);

  /// One signal of ours, without escalation: whatever ends it now counts as ended by us.
  [[nodiscard]] boost::asio::awaitable<void> signal_once(StopSignal signal);

  /// Whether the foreground program was started just before signal_once: a SIGINT between its fork and its
  /// exec is lost.
  [[nodiscard]] bool signal_came_too_early() const;

  /// `start` failed, and nothing was run: takes it out of the tab. It ends, as one that never was, or under
  /// the id that the call has answered with.
  void abandon();

  /// The call has answered while `start` goes on: it is not typed again, under another id.
  void call_has_answered() { wishes_.answered = true; }

  /// Whether it has become a nested shell that waits at its prompt, or a way to one (ssh).
  [[nodiscard]] bool waits_in_nested_shell();
  /// Whether what has the foreground now is a shell that it opened, or a way to one: within the shell that it
  /// was typed into, or in its place (`exec bash`).
  [[nodiscard]] bool opened(const Foreground& now) const;
  /// That what it opened was seen at this prompt: how that is reached is on record from then on.
  void note_way_in(const Foreground& prompt, Clock::time_point seen);
  /// Whether it was seen to do so.
  [[nodiscard]] bool opened_shell() const { return opened_shell_; }

  /// Whether waits_in_nested_shell saw one at its prompt when it last looked, perhaps in passing.
  [[nodiscard]] bool may_be_nested_shell() const { return nested_prompt_seen_.has_value(); }
  /// Whether something of ours is ending it.
  [[nodiscard]] bool is_interrupted() const { return why() != Reason::none; }

  /// Reads the log to its end, however far that is, and lets others run meanwhile. For one whose log is not
  /// written any more.
  [[nodiscard]] boost::asio::awaitable<void> catch_up();

  /// Unless its end is in the log, it will never be known how it ended. Looks a few milliseconds' worth
  /// ahead: catch_up first where it may be further.
  /// `output_ends_before`: the log offset before which its output ended, where that is known.
  void give_up(Reason why, std::optional<std::uint64_t> output_ends_before = std::nullopt);

  /// Reads what is new in the log, so that output_end() is of now.
  void look() { pump(); }

  /// Whether its line was typed, or may have been, or may be just now. Not where what was typed is known to
  /// run nothing.
  [[nodiscard]] bool may_be_typed() const { return !record_.nonce.empty(); }
  /// Whether it ended before it was typed, or taken: cancelled, or out of time.
  [[nodiscard]] bool was_called_off() const {
    return life_.outcome() != nullptr && life_.outcome()->seen == Outcome::Seen::called_off;
  }
  /// Whether its END was read: it is on record in a moment.
  [[nodiscard]] bool end_was_seen() const { return log_.end().has_value(); }
  /// Whether it is known to have been taken by its shell: its START was seen, or the shell said so in its
  /// file. Else it may have been, and may still be.
  using CommandSenses::has_begun;
  /// Whether it is certain that it never began, and never will, as two looks tell.
  [[nodiscard]] bool is_left_untaken();
  /// A command whose END was read is on record by then.
  static constexpr Milliseconds kConcludes{100};
  [[nodiscard]] std::uint64_t duration_ms() const;

  [[nodiscard]] const CommandRecord& record() const { return record_; }
  [[nodiscard]] bool has_ended() const { return ended_.is_set(); }
  [[nodiscard]] boost::asio::awaitable<void> wait_for_end() { return ended_.wait(); }
  /// Waits until then at most; says whether it has ended.
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_end_by(Clock::time_point when) {
    return ended_.wait_by(when);
  }
  /// Where what it printed ends by now.
  [[nodiscard]] std::uint64_t output_end() const;
  /// The part of the log that is its output, without our own lines: nothing before its beginning is known.
  [[nodiscard]] LogReach::Part output() const;
  /// Told each time that this may be another.
  [[nodiscard]] Event& output_changed() { return output_changed_; }
  [[nodiscard]] const std::vector<Survivor>& survivors() const { return survivors_; }
  /// The pid of the shell that it was typed into.
  [[nodiscard]] int shell_pid() const { return record_.shell_pid; }

 private:
  // What it sees (command_senses.cpp).
  [[nodiscard]] bool has_start() const override { return log_.has_start(); }
  [[nodiscard]] std::optional<SeenEnd> end() const override;
  [[nodiscard]] bool log_goes_on() const override { return log_.goes_on(); }
  [[nodiscard]] Clock::time_point log_grew() const override { return log_.grew(); }
  [[nodiscard]] bool log_has_gap() const override;
  [[nodiscard]] bool log_writer_is_stopped() const override;
  [[nodiscard]] std::optional<Clock::time_point> log_unreadable_since() const override;
  [[nodiscard]] bool in_files() const override { return in_files_; }
  [[nodiscard]] bool may_be_taken() const override;
  [[nodiscard]] std::optional<int> exit_code() const override;
  [[nodiscard]] bool tab_lives() const override;
  [[nodiscard]] bool tmux_lives() const override;
  [[nodiscard]] bool shell_is_gone() const override;
  [[nodiscard]] bool shell_can_be_told() const override { return its_shell().has_value(); }
  [[nodiscard]] SeenForeground foreground() const override;
  [[nodiscard]] bool is_nested() const override { return nested_; }
  [[nodiscard]] bool is_outermost() const override;
  [[nodiscard]] bool one_around_is_ending() const override;
  [[nodiscard]] Wishes wishes() const override { return wishes_; }
  [[nodiscard]] bool can_probe() const override { return !script_.probe_line.empty(); }
  [[nodiscard]] ErrandState errand(Errand errand) const override;
  [[nodiscard]] bool tmux_answered() const override { return tmux_answered_; }
  [[nodiscard]] bool was_touched() const override { return touched_; }
  [[nodiscard]] bool is_stopped() const override { return stopped_.has_value(); }
  [[nodiscard]] Reason why() const { return life_.pressing().why(wishes_); }

  // What it does (command_run.cpp, command_acts.cpp).
  [[nodiscard]] boost::asio::awaitable<void> live();
  [[nodiscard]] boost::asio::awaitable<void> carry_out(Act act);
  [[nodiscard]] bool carry_out_at_once(const Act& act);
  [[nodiscard]] boost::asio::awaitable<void> run(Errand errand);
  [[nodiscard]] static boost::asio::awaitable<void> run_beside(RunPtr self, Errand errand);
  void begin(Errand errand);
  void is_done(Errand errand);
  void read_log();
  bool pump();
  void heed_other_processes();
  void record_pressing(const act::RecordPressing& pressing);
  void strike(const act::SignalGroup& signal);
  [[nodiscard]] std::optional<ProcessId> shell_to_tell(const act::SignalGroup& signal) const;
  [[nodiscard]] std::optional<ProcessId> its_shell() const;
  [[nodiscard]] CommandMarks marks() const;
  [[nodiscard]] boost::asio::awaitable<void> type_probe();
  [[nodiscard]] boost::asio::awaitable<void> end_rest();
  [[nodiscard]] boost::asio::awaitable<void> read_log_out();
  [[nodiscard]] boost::asio::awaitable<void> settle_prompt();
  void restore_files() const noexcept;

  // How it is typed (command_start.cpp).
  [[nodiscard]] boost::asio::awaitable<bool> approach();
  [[nodiscard]] boost::asio::awaitable<Did> type(int attempt);
  [[nodiscard]] ShellCommand prepare_record();
  [[nodiscard]] boost::asio::awaitable<bool> type_in_lines(const ShellCommand& command);
  [[nodiscard]] boost::asio::awaitable<bool> type_now(std::string bytes);
  [[nodiscard]] boost::asio::awaitable<bool> try_to_type(std::string bytes);
  [[nodiscard]] Error why_not_typed() const;
  [[nodiscard]] PaneFact touch_of_others() const;
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_a_pause();
  [[nodiscard]] boost::asio::awaitable<void> clear_prompt();
  void mark_running() const;
  void fresh_nonce();
  void withdraw() noexcept;

  // Shells that it opens (command_nested.cpp).
  void leave_tab();
  void end_what_runs_inside();
  [[nodiscard]] std::optional<int> exit_code_of(const ExitReporter& inner_shell) const;
  void end_with_shell(std::optional<int> exit_code, const CommandRun& outer);
  void note_end_of_shell();
  void tell_end_of_way();
  void keep_what_was_told();
  [[nodiscard]] bool shell_is_replaced() const;
  [[nodiscard]] bool leaves_line_open() const;
  [[nodiscard]] std::optional<Foreground> nested_prompt();
  void look_for_nested_shell();

  // Its end, and its record (command_end.cpp).
  std::string save_record();
  void conclude();
  [[nodiscard]] std::optional<std::string> what_is_stopped() const;
  [[nodiscard]] std::string why_end_is_missing() const;
  void end_as(const Outcome& outcome);
  void note_end(const Outcome& outcome);
  void note_exit_file(Outcome::Seen seen);
  void note_end_of_log(Outcome::Seen seen);
  [[nodiscard]] int who_goes_on(const Outcome& outcome) const;
  void finish(const Outcome& outcome);
  void tidy_later(const Outcome& outcome) const;

  RunContext& context_;
  std::shared_ptr<Tab> tab_;
  std::unique_ptr<PaneTerminal> terminal_;
  LogWatch::Watch watch_;
  std::string text_;

  CommandLife life_;
  Wishes wishes_;
  std::map<Errand, Background> errands_;  ///< that were begun
  std::map<Errand, ErrandState> errand_states_;
  bool tmux_answered_ = false;
  std::uint64_t key_ticks_ = 0;  ///< when our last C-c was sent; 0: none was
  Event ended_;
  Event output_changed_;
  std::vector<Survivor> survivors_;

  CommandRecord record_;
  bool adopted_ = false;   ///< typed by another process
  bool recorded_ = false;  ///< it is in the tab's records

  // How it was typed.
  Clock::time_point called_;
  Clock::time_point give_up_at_;
  Foreground prompt_;  ///< where it is typed
  ShellScript script_;
  bool nested_ = false;                  ///< another command of ours goes on around it
  ExitReporter reporter_;                ///< of the shell that it was typed into
  bool in_files_ = false;                ///< its shell reads our files
  std::optional<Error> typing_failure_;  ///< it may have been typed all the same
  LineAtPrompt at_prompt_{*tab_, *terminal_, watch_};

  CommandLog log_{tab_->log};
  bool touched_ = false;                ///< somebody else may have typed in the tab: see touched.hpp
  std::optional<std::string> stopped_;  ///< what of it is stopped, not ended

  // The shells that it opened.
  bool opened_shell_ = false;
  std::optional<Clock::time_point> nested_prompt_seen_;
};

}  // namespace terminally
