#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/keyed_mutex.hpp"
#include "command/awaiting_input.hpp"
#include "config.hpp"
#include "log/log_search.hpp"
#include "tab/wait_terms.hpp"
#include "tmux/server/call_time.hpp"
#include "tmux/tabs/requests.hpp"
#include "tmux/wire/tab_variables.hpp"

namespace terminally {

class CallTimes;
class CommandResults;
class Commands;
class LogWatch;
class ProcessTable;
class TabChooser;
class Tabs;
class TabTurns;
class TextWorker;
class TmuxChannel;
class TmuxServer;
struct RunContext;

/// The calls about tabs: they list, open, name, close and watch tabs.
class TabCalls {
 public:
  struct Parts {
    const CallTimes& times;
    Config& config;
    TmuxServer& server;
    Tabs& tabs;
    Commands& commands;
    TabChooser& chooser;
    ProcessTable& processes;
    LogWatch& log_watch;
  };
  explicit TabCalls(Parts parts) : parts_(parts) {}

  /// Who calls while others look waits for the next look, which is for all who wait by then.
  [[nodiscard]] Awaitable<std::vector<TabInfo>> list();
  [[nodiscard]] Awaitable<CreatedTab> create(CreateTab request);
  /// Without `force`: HUP, TERM, KILL over 2 s for what runs; then the log is drained and the window closed.
  [[nodiscard]] Awaitable<ClosedTab> close(WindowId tab, bool force);
  [[nodiscard]] Awaitable<void> rename(WindowId tab, std::string name);
  /// Throws Error(invalid_argument) for a size that create_tab would refuse.
  [[nodiscard]] Awaitable<void> resize(WindowId tab, std::uint64_t cols, std::uint64_t rows);
  /// Has what runs there draw its screen again: its terminal is a row lower for a moment.
  [[nodiscard]] Awaitable<void> redraw(WindowId tab);
  /// Whether a tab of that id is known without asking tmux.
  [[nodiscard]] bool knows(WindowId tab) const;
  /// The open tab of that name; none: there is no such tab. Throws Error(invalid_argument) when several have
  /// the name. An id is its own answer, and afterwards its tab is known, if there is one.
  [[nodiscard]] Awaitable<std::optional<WindowId>> named(std::string name);
  /// Of a tab that was in the last list; none: it is closed. Asks the system, not tmux. `input` is what was
  /// seen of this tab, null where nothing can wait in it; to be asked each 50 to 300 ms.
  [[nodiscard]] std::optional<TabFace> face(WindowId tab, SettledInput* input);
  /// What `others` is to compare with.
  [[nodiscard]] Awaitable<TabList> now();
  /// The tabs as soon as they differ from `known`: waits as long as that takes. Costs nothing while
  /// nothing happens. Starts no tmux, and knows of tabs only once another call has needed them.
  [[nodiscard]] Awaitable<TabList> others(TabList known, TabNews news);
  [[nodiscard]] Awaitable<void> set_history_limit(std::uint32_t limit);
  /// Of these variables, what open tabs have that are not in `told` yet, and are afterwards: in the `env` of
  /// create_tab, or from the environment of the server that started their tmux. Also of tabs that an earlier
  /// server opened. Asks the system, not tmux, and does not wait.
  [[nodiscard]] std::vector<Variable> new_variables(const std::vector<std::string>& names,
                                                    TabVariables& told);

 private:
  /// None yet: it is to begin.
  using Look = std::optional<std::vector<TabInfo>>;
  Awaitable<std::vector<TabInfo>> shared_look();

  Parts parts_;
  std::shared_ptr<AsyncMutex> looking_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<Look> next_look_;    ///< of who waits now; none: nobody does
  Clock::time_point no_server_until_;  ///< known not to be there: new_variables() looks again then
};

/// The calls about commands: they begin a command in a tab, wait for it, and tell what is known of it.
class CommandCalls {
 public:
  struct Parts {
    const CallTimes& times;
    const Config& config;
    Tabs& tabs;
    TabTurns& turns;
    TabChooser& chooser;
    Commands& commands;
    const CommandResults& results;
  };
  explicit CommandCalls(Parts parts) : parts_(parts) {}

  /// Runs a command and returns when it ended, timed out or was handed over. `reader` may read the raw bytes
  /// as they come, and after that call: nobody waits for it.
  [[nodiscard]] Awaitable<CommandResult> execute(ExecuteCommand request, OutputReader reader = {});
  [[nodiscard]] Awaitable<StartedProcess> start_process(StartProcess request);
  [[nodiscard]] Awaitable<CommandResult> state(QueryCommand request);
  /// The same in a call that has this time.
  [[nodiscard]] Awaitable<CommandResult> state_within(CallTime time, QueryCommand request);
  /// What is known of a command, as its record is now: asks no tmux, and does not wait. None: there is no
  /// such tab or command that is known.
  [[nodiscard]] std::optional<CommandRecord> on_record(WindowId tab, const std::string& command_id) const;
  /// Returns once this command has ended, whoever looks after it. Throws Error(not_found).
  [[nodiscard]] Awaitable<void> wait_for_end(WindowId tab, std::string command_id);

 private:
  Parts parts_;
};

/// The calls that end what runs in a tab.
class StopCalls {
 public:
  struct Parts {
    const CallTimes& times;
    Tabs& tabs;
    const TabTurns& turns;
    const TabChooser& chooser;
    RunContext& context;
    Commands& commands;
    const CommandResults& results;
    CommandCalls& calls;
  };
  explicit StopCalls(Parts parts) : parts_(parts) {}

  /// Sends one signal and says within 2 s whether the process ended. Does not escalate.
  [[nodiscard]] Awaitable<StoppedProcess> stop_process(WindowId tab, StopSignal signal);
  /// C-c, SIGTERM after 500 ms, SIGKILL after 5 s (`force`: at once), until the shell is back. `command`:
  /// this one, and what runs in a shell that it opened. Where it has no id, the one that was begun last; a
  /// shell is ended only where nothing was begun in it. What a person started is ended, too; its exit code is
  /// not known then.
  [[nodiscard]] Awaitable<CommandResult> cancel_command(QueryCommand command, bool force);
  /// The same for one command, without its result.
  [[nodiscard]] Awaitable<void> end_command(WindowId tab, std::string command_id);

 private:
  Parts parts_;
};

/// The calls that type text and keys into whatever has a tab's foreground.
class InputCalls {
 public:
  struct Parts {
    const CallTimes& times;
    Tabs& tabs;
    TabTurns& turns;
  };
  explicit InputCalls(Parts parts) : parts_(parts) {}

  /// Throws Error(invalid_argument) and sends nothing when the text has control characters that were not
  /// allowed, or a line that the terminal would cut.
  [[nodiscard]] Awaitable<SentInput> send_text(SendText request);
  [[nodiscard]] Awaitable<SentInput> send_keys(SendKeys request);
  /// For a person at another terminal: types the first of `typed`, as a terminal sends keys, that the program
  /// in the tab's foreground waits for: up to the end of a line where it reads lines, else one key. tmux
  /// types it only while the command goes on. Throws Error where nothing was typed.
  [[nodiscard]] Awaitable<OfferedKeys> offer_keys(WindowId tab, std::string typed);
  /// The same of a line that only this reader may get.
  [[nodiscard]] Awaitable<OfferedKeys> offer_line(WindowId tab, std::string line, LineReader reader);
  /// For a person who has the tab: types what their terminal sends, whatever reads it.
  [[nodiscard]] Awaitable<OfferedKeys> type_as_terminal(WindowId tab, std::string typed);

 private:
  Parts parts_;
};

/// The calls about what a tab shows and prints: they read its screen and its log, search the log and wait.
class OutputCalls {
 public:
  struct Parts {
    const CallTimes& times;
    Tabs& tabs;
    Commands& commands;
    LogWatch& log_watch;
    TextWorker& texts;
    const CommandResults& results;
    std::shared_ptr<AsyncMutex> searching = std::make_shared<AsyncMutex>();
  };
  explicit OutputCalls(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] Awaitable<TabScreen> read_screen(ReadScreen request);
  /// The last `lines` lines of the log. An unfinished last line counts.
  [[nodiscard]] Awaitable<LogLines> read_lines(WindowId tab, std::uint64_t lines, TextView view);
  [[nodiscard]] Awaitable<LogChunk> read_chunk(ReadLogChunk request);
  /// What the tab prints from now on, until it is closed. The manager outlives it.
  [[nodiscard]] Awaitable<LogFollower> follow_log(WindowId window);
  /// The lines of the log that a pattern matches, up to its end as it is now. Takes as long as it takes, in
  /// slices; after 30 s it says where to go on. Cancelled, it just ends.
  [[nodiscard]] Awaitable<FoundLines> search_logs(SearchLogs request);
  /// Returns the moment that what is waited for has come, the command has ended, the tab is closed, or the
  /// time is over (the synchronous window at the latest). Changes nothing, holds no lock; cancelled, it just
  /// ends. Throws Error(invalid_argument) for a bad pattern.
  [[nodiscard]] Awaitable<WaitForResult> wait_for(WaitFor request);
  /// The same behind what was typed. An error is told in `notes` and not thrown: as the answer it would say
  /// that nothing was done.
  [[nodiscard]] Awaitable<std::optional<WaitForResult>> wait_behind(WaitFor request,
                                                                    std::vector<std::string>& notes);

 private:
  Parts parts_;
};

/// The C++ API of the product: tabs of one instance, their commands and their logs. Structs in, structs out,
/// no JSON. The calls of one concern are a class, which has the parts that it uses; they outlive it.
///
/// Single-threaded: every call on the executor it was made with. Every call returns by its deadline, errors
/// are thrown as `Error`. Calls on one tab are served in order; calls on different tabs run side by side. A
/// call that its client gives up is cancelled through Asio's cancellation slot (terminal): a running command
/// is then interrupted as by `cancel_command`, and the call ends with `operation_aborted`. Nothing is touched
/// on disk and no tmux is started before the first call that needs it.
class TmuxManager {
 public:
  /// `executor` must run on one thread and outlive the manager. `tmux`: how its tmux servers are reached;
  /// none: by clients that it spawns.
  TmuxManager(const boost::asio::any_io_executor& executor, Config config,
              std::shared_ptr<TmuxChannel> tmux = nullptr);
  ~TmuxManager();
  TmuxManager(const TmuxManager&) = delete;
  TmuxManager& operator=(const TmuxManager&) = delete;

  [[nodiscard]] TabCalls& tabs() { return tabs_; }
  [[nodiscard]] CommandCalls& commands() { return commands_; }
  [[nodiscard]] StopCalls& stops() { return stops_; }
  [[nodiscard]] InputCalls& input() { return input_; }
  [[nodiscard]] OutputCalls& output() { return output_; }

  /// Takes the instance, as the first tab does: for who opens tabs elsewhere in its name. Throws Error(busy),
  /// naming the owner's pid, while another server owns it.
  [[nodiscard]] Awaitable<void> own_instance();
  [[nodiscard]] std::string instance_name() const;
  /// Where the files of commands are, whose names a reader need not see (own_lines.hpp).
  [[nodiscard]] std::string files_directory() const;

  /// For a named instance, in the background: finds the tmux server that a server before us left and looks
  /// after the commands that run there, without waiting for a call. Returns when there is nothing to find.
  [[nodiscard]] Awaitable<void> look_after_running();

  /// The client has gone; its calls may go on for a moment.
  void client_has_left();
  /// Ends what must not outlive this process: an unnamed instance's tabs, processes and runtime directory.
  /// Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down();

 private:
  struct Parts;  // of all of them
  std::unique_ptr<Parts> parts_;
  TabCalls tabs_;
  CommandCalls commands_;
  StopCalls stops_;
  InputCalls input_;
  OutputCalls output_;
};

}  // namespace terminally
