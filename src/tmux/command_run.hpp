#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "tmux/client.hpp"
#include "tmux/editor_key.hpp"
#include "tmux/foreground.hpp"
#include "tmux/log_watch.hpp"
#include "tmux/manager.hpp"
#include "tmux/markers.hpp"
#include "tmux/records.hpp"
#include "tmux/tab.hpp"
#include "tmux/tab_processes.hpp"

namespace terminally {

/// What a prompt showed before our C-c, and after it: lines of text without blanks at their ends.
struct ClearedRows {
  std::string before;
  std::string prompt;
};

/// What every command needs of its manager. Lives as long as the event loop runs.
struct RunContext {
  boost::asio::any_io_executor executor;
  const TmuxClient& client;
  LogWatch& watch;
  std::function<bool()> server_alive;
  std::filesystem::path helper;  ///< terminally-shell
  ProcessTable& processes;
};

/// The life of one command: typed, started, followed until its end, interrupted when asked to. One per
/// command; kept alive by its coroutines and by the tab's list.
class CommandRun : public std::enable_shared_from_this<CommandRun> {
 public:
  /// From the C-c on, when it is ended by force.
  static constexpr Milliseconds kTermAfter{500};
  static constexpr Milliseconds kKillAfter{5'000};

  CommandRun(RunContext& context, std::shared_ptr<Tab> tab, std::string command, OutputCallback on_output,
             std::string who = {});

  /// One that was typed already, as its record says: to be settled and followed, not started.
  CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record);

  /// Waits for the prompt, types the command, once, and waits until it began. On return it runs, has ended
  /// already (`no_shell_answered`: nothing was run), or the time is over and nothing is known (`has_begun`):
  /// then it is to be followed as well. Throws Error and leaves nothing behind when nothing was run.
  [[nodiscard]] boost::asio::awaitable<void> start(Clock::time_point called, Clock::time_point give_up_at);

  /// Looks after it until it ended: scans the log, keeps the deadline, carries out what `interrupt` asked
  /// for, records the end. To be spawned once, after `start`.
  [[nodiscard]] boost::asio::awaitable<void> follow();

  /// Whether it is over already, as far as its log and files tell; then it is recorded. For one that was
  /// typed by another process.
  /// `followed`: by `follow`, which has the time to ask for what is not written there.
  void settle(bool followed);

  /// When it is interrupted as by `interrupt`. It is on record: a server after us keeps it, too.
  void set_deadline(Clock::time_point when);

  /// C-c at once, SIGTERM after 500 ms, SIGKILL after 5 s (`force`: at once), until the shell is back.
  /// Returns at once.
  void interrupt(Reason why, bool force);

  /// One signal of ours, without escalation: whatever ends it now counts as ended by us.
  [[nodiscard]] boost::asio::awaitable<void> signal_once(StopSignal signal);

  /// Whether the foreground program was started just before signal_once: a SIGINT between its fork and its
  /// exec is lost.
  [[nodiscard]] bool signal_came_too_early() const;

  /// `start` failed, and nothing was run: takes it out of the tab. It ends, as one that never was, or under
  /// the id that the call has answered with.
  void abandon();

  /// The call has answered while `start` goes on: it is not typed again, under another id.
  void call_has_answered() { call_answered_ = true; }

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
  [[nodiscard]] bool is_interrupted() const { return interrupt_reason_ != Reason::none; }

  /// Reads the log to its end, however far that is, and lets others run meanwhile. For one whose log is not
  /// written any more.
  [[nodiscard]] boost::asio::awaitable<void> catch_up();

  /// Unless its end is in the log, it will never be known how it ended. Looks a few milliseconds' worth
  /// ahead: catch_up first where it may be further.
  /// `ends_by`: the log offset before which its output ended, where that is known.
  void give_up(Reason why, std::optional<std::uint64_t> ends_by = std::nullopt);

  /// Reads what is new in the log, so that output_end() is of now. Where the output is handed on, only who
  /// follows it reads, and hands it on: output_end() is then how far that has come.
  void look() {
    if (!on_output_) {
      pump();
    }
  }

  /// Whether its line was typed, or may have been, or may be just now. Not where what was typed is known to
  /// run nothing.
  [[nodiscard]] bool may_be_typed() const { return !record_.nonce.empty(); }
  /// Whether it ended before it was typed, or taken: cancelled, or out of time.
  [[nodiscard]] bool was_called_off() const { return called_off_; }
  /// Whether its END was read: it is on record in a moment.
  [[nodiscard]] bool end_was_seen() const { return end_marker_.has_value(); }
  /// Whether it is known to have been taken by its shell: its START was seen, or the shell said so in its
  /// file. Else it may have been, and may still be.
  [[nodiscard]] bool has_begun() const;
  /// Whether it is certain that it never began, and never will: its shell shows its prompt, at all looks over
  /// `patience`.
  [[nodiscard]] bool is_left_untaken(Milliseconds patience);
  /// How long a shell shows a prompt until the line that was typed there counts as lost. Generous: a loaded
  /// machine.
  static constexpr Milliseconds kUnanswered{1'500};
  /// A command whose END was read is on record by then.
  static constexpr Milliseconds kConcludes{100};
  [[nodiscard]] std::uint64_t duration_ms() const;

  [[nodiscard]] const CommandRecord& record() const { return record_; }
  [[nodiscard]] bool has_ended() const { return ended_.is_set(); }
  [[nodiscard]] boost::asio::awaitable<void> wait_for_end() { return ended_.wait(); }
  /// Waits until then at most; says whether it has ended.
  [[nodiscard]] boost::asio::awaitable<bool> ends_by(Clock::time_point when) { return ended_.wait_by(when); }
  /// Where what it printed ends by now.
  [[nodiscard]] std::uint64_t output_end() const;
  [[nodiscard]] const std::vector<Survivor>& survivors() const { return survivors_; }
  /// The pid of the shell that it was typed into.
  [[nodiscard]] int typed_into() const { return record_.shell_pid; }

 private:
  static constexpr std::size_t kOutputReadBytes = 256UL * 1024;
  /// More than what the shell's trace prints of our own lines.
  static constexpr std::uint64_t kTraceLineBytes = 4'096;

  [[nodiscard]] boost::asio::awaitable<bool> type(const Foreground& foreground);
  [[nodiscard]] boost::asio::awaitable<bool> type_in_lines(const ShellCommand& command,
                                                           const Foreground& foreground);
  [[nodiscard]] boost::asio::awaitable<bool> type_now(std::string bytes, const Foreground& foreground);
  [[nodiscard]] boost::asio::awaitable<std::optional<Error>> try_to_type(const std::string& bytes);
  [[nodiscard]] boost::asio::awaitable<bool> is_left_untaken_by(Clock::time_point give_up_at);
  void never_ran();
  [[nodiscard]] bool is_called_off() const;
  void call_off();
  [[nodiscard]] std::string touch_of_others() const;
  [[nodiscard]] boost::asio::awaitable<void> clear_prompt(const Foreground& foreground,
                                                          Clock::time_point give_up_at);
  [[nodiscard]] bool is_in_editor(const Foreground& foreground) const;
  [[nodiscard]] boost::asio::awaitable<bool> comes_to_editor(Milliseconds within);
  [[nodiscard]] bool has_editor_key(const Foreground& foreground) const;
  [[nodiscard]] boost::asio::awaitable<std::optional<std::string>> press_editor_key(std::string script,
                                                                                    std::string unless,
                                                                                    Typed typed);
  [[nodiscard]] boost::asio::awaitable<std::optional<HalfTyped>> ask_editor(const Foreground& foreground);
  [[nodiscard]] boost::asio::awaitable<void> put_back();
  void note_cleared(const Foreground& foreground, const std::optional<HalfTyped>& half,
                    const ClearedRows& rows);
  [[nodiscard]] boost::asio::awaitable<void> wait_for_a_pause(Clock::time_point give_up_at);
  [[nodiscard]] boost::asio::awaitable<void> press_interrupt_key();
  void write_script() const;
  void mark_running() const;
  [[nodiscard]] bool is_made(void (CommandRun::*make)() const, ShellKind shell);
  void fresh_nonce();

  bool pump();
  void conclude();
  void heed_other_processes();
  [[nodiscard]] bool note_if_stopped();
  void save_record();
  void withdraw() noexcept;
  void end_by_exit_file(int exit_code, std::string_view stands_still);
  [[nodiscard]] std::string why_end_is_missing() const;
  void on_start(const Marker& marker);
  void on_end(const Marker& marker);
  void emit(std::uint64_t until);
  [[nodiscard]] std::size_t own_lines_at_start(std::string_view text) const;
  [[nodiscard]] bool is_own_line(std::string_view line) const;
  [[nodiscard]] bool leaves_line_open() const;
  void trim_own_lines_at_end();
  void restore_files() const noexcept;
  [[nodiscard]] boost::asio::awaitable<void> look_for_another_end();
  [[nodiscard]] boost::asio::awaitable<void> wait_for_late_end(int exit_code);
  [[nodiscard]] bool looks_interrupted() const;
  [[nodiscard]] boost::asio::awaitable<bool> is_touched() const;
  [[nodiscard]] boost::asio::awaitable<bool> is_true(std::string condition) const;
  [[nodiscard]] boost::asio::awaitable<void> end_with_tab();
  [[nodiscard]] bool one_around_is_ending() const;
  void leave_tab();
  void end_what_runs_inside();
  [[nodiscard]] std::optional<int> exit_code_of(const ExitReporter& inner_shell) const;
  void end_with_shell(std::optional<int> exit_code, const CommandRun& outer);
  void end_without_shell(std::optional<int> exit_code);
  void tell_end_of_way();
  void keep_what_was_told();
  [[nodiscard]] bool shell_is_replaced() const;
  [[nodiscard]] std::optional<Foreground> nested_prompt();
  void look_for_nested_shell();
  void finish(CommandState state, Reason reason, std::optional<int> exit_code);

  [[nodiscard]] boost::asio::awaitable<void> scan_to_end();
  [[nodiscard]] boost::asio::awaitable<std::string> scan();
  [[nodiscard]] boost::asio::awaitable<void> keep_deadline();
  [[nodiscard]] boost::asio::awaitable<void> escalate();
  /// How far the end by force has come.
  struct Escalation {
    Clock::duration elapsed{};    ///< without the time that the machine stood still
    std::set<int> struck;         ///< foreground groups
    std::uint64_t key_ticks = 0;  ///< when our C-c was sent; 0: none was
    bool probed = false;
    std::optional<Clock::time_point> at_prompt;
    Clock::time_point next_to_shell;
  };
  void record_interrupt();
  void press_program(const Foreground& now, Escalation& so_far);
  void press_shell(Escalation& so_far);
  [[nodiscard]] boost::asio::awaitable<void> mend_prompt(bool at_prompt, Escalation& so_far);
  [[nodiscard]] std::optional<ProcessId> its_shell() const;
  [[nodiscard]] CommandMarks marks() const;
  void strike(const Foreground& foreground, int signal, bool shell_goes_on);
  [[nodiscard]] boost::asio::awaitable<void> send_interrupt_key();
  [[nodiscard]] boost::asio::awaitable<void> type_probe();
  [[nodiscard]] boost::asio::awaitable<void> end_descendants();

  RunContext& context_;
  std::shared_ptr<Tab> tab_;
  TmuxClient tmux_;  ///< reaches the tab's own tmux server, and no other
  std::string text_;
  OutputCallback on_output_;

  CommandRecord record_;
  ShellScript script_;
  std::optional<MarkerScanner> scanner_;
  LogWatch::Watch watch_;
  std::uint64_t read_ = 0;                        ///< log offset up to which the scanner was fed
  bool behind_ = false;                           ///< there is more to feed
  std::optional<PaneLog::Stamp> read_to_end_of_;  ///< the log when there was no more
  std::uint64_t emitted_ = 0;                     ///< log offset up to which on_output_ was called
  bool adopted_ = false;                          ///< typed by another process
  bool recorded_ = false;                         ///< it is in the tab's records
  bool began_ = false;
  bool traced_ = false;
  bool nested_ = false;                  ///< another command of ours goes on around it
  ExitReporter reporter_;                ///< of the shell that it was typed into
  bool in_files_ = false;                ///< its shell reads our files
  std::optional<Error> typing_failure_;  ///< it may have been typed all the same
  bool opened_shell_ = false;
  bool exit_lost_ = false;
  bool touched_ = false;  ///< somebody else may have typed in the tab: see touched.hpp
  bool cleared_ = false;  ///< what they left at the prompt is gone
  std::string put_back_;  ///< what the shell gets back after this command: a word of it; empty: nothing
  bool call_answered_ = false;
  bool called_off_ = false;
  int attempt_ = 0;
  std::optional<Marker> end_marker_;
  std::uint64_t signalled_ticks_ = 0;
  Clock::time_point read_well_;  ///< when the log could last be read
  std::optional<Clock::time_point> exit_file_seen_;
  Clock::time_point grew_;  ///< when something new was last read from the log
  std::optional<Clock::time_point> idle_prompt_seen_;
  std::optional<Clock::time_point> nested_prompt_seen_;
  std::optional<Clock::time_point> shell_gone_seen_;

  Clock::time_point deadline_ = Clock::time_point::max();
  Event interrupt_asked_;
  bool force_ = false;
  bool killed_ = false;  ///< by SIGKILL: it had no time to put the terminal back
  bool shell_killed_ = false;
  Reason interrupt_reason_ = Reason::none;
  Event ended_;
  std::vector<Survivor> survivors_;
};

}  // namespace terminally
