#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"
#include "tmux/ids.hpp"
#include "tmux/results.hpp"
#include "tmux/searching.hpp"
#include "tmux/tab_variables.hpp"
#include "tmux/waiting.hpp"

namespace terminally {

/// One row of list_tabs.
struct TabInfo {
  WindowId window_id;
  std::string name;
  bool active = false;     ///< the window a watcher of the session sees
  std::string cwd;         ///< of the foreground process; empty when it cannot be read
  std::string foreground;  ///< name of the foreground process, e.g. "bash" or "vim"
  bool busy = false;       ///< a command of ours runs, or something other than a shell at its
                           ///< prompt has the keyboard
  std::string log_path;
  std::uint64_t log_bytes = 0;         ///< all bytes ever counted for the tab
  std::uint64_t log_gap_bytes = 0;     ///< how many of them are gone, so far
  bool log_gap_unknown = false;        ///< bytes that nobody counted are missing as well
  std::int64_t last_output_at_ms = 0;  ///< since the epoch, UTC; 0: it never printed
  std::string tmux_window;             ///< tmux's own ids of where a person has put it: "@5"
  std::string tmux_session;            ///< "$0"
};

/// What a watcher has seen of the tabs.
struct TabList {
  std::vector<TabInfo> open;
  std::uint64_t changes = 0;  ///< how many had come or gone by then: one that did both since is news, too
};

/// In what lists of tabs differ.
enum class TabNews {
  come_and_gone,  ///< which tabs there are, or were since
  any,            ///< that, or anything of a row but of its log; renamed by others: seen with the next output
};

struct CreateTab {
  std::string name;  ///< up to 200 bytes of UTF-8 without control characters; empty: the shell's name
  std::string cwd;   ///< empty: the server's home directory; must be an existing directory
  std::map<std::string, std::string>
      env;              ///< added to the tab's environment; names are [A-Za-z_][A-Za-z0-9_]*
  bool login = false;   ///< start the shell as a login shell
  std::string shell;    ///< path or name of the shell; empty: the user's $SHELL
  bool helper = false;  ///< for calls that name no tab, while "main" is busy
};

struct CreatedTab {
  WindowId window_id;
  std::string name;
  std::string log_path;
};

enum class OnTimeout { interrupt, background };

/// Called once a command has begun, or has ended at once: its tab and its id. Must not block.
using BeganCallback = std::function<void(WindowId window, const std::string& command_id)>;

struct ExecuteCommand {
  std::optional<WindowId> window_id;  ///< none: the tab "main", or a helper tab while that is busy
  std::string command;                ///< a script of any length; no NUL
  std::uint64_t timeout_ms = 10'000;
  OnTimeout on_timeout = OnTimeout::interrupt;
  bool hand_over = true;  ///< return after sync_window_ms, whatever it does
  std::uint64_t max_output_bytes = 32'768;
  TextView view;
  /// Return, with Reason::awaiting_input, as soon as it waits for the keyboard and there is time to answer.
  bool return_at_input = true;
  std::string who;                   ///< for the record of commands: whose command it is
  BeganCallback on_begin = nullptr;  ///< may be empty
  /// Told when it waits for the keyboard and the call goes on all the same. May be empty.
  std::function<void(const AwaitingInput&)> on_awaiting = nullptr;
};

/// Called with the raw bytes that the command printed, in order, as they are logged. Must not block and must
/// not throw.
using OutputCallback = std::function<void(std::string_view bytes)>;

struct StartProcess {
  std::optional<WindowId> window_id;  ///< none: as for ExecuteCommand
  std::string command;
  bool append_newline = true;         ///< false: paste the text at the prompt and do not submit it
  std::string who;                    ///< for the record of commands: whose command it is
  std::uint64_t timeout_ms = 10'000;  ///< how long a turn in the tab and its prompt are waited for
};

struct StartedProcess {
  WindowId window_id;
  std::optional<bool> started = false;  ///< none: it was typed, and it is not known whether it has begun
  std::optional<std::string> command_id;
  std::uint64_t start_byte = 0;  ///< log offset before the process printed anything
  std::vector<std::string> notes;
};

enum class StopSignal { interrupt, terminate };

struct StoppedProcess {
  bool success = false;  ///< the process ended within 2 s, or nothing ran
  CommandState state = CommandState::running;
  std::optional<int> exit_code;
  std::vector<Survivor> survivors;
  std::vector<std::string> notes;
};

struct QueryCommand {
  WindowId window_id;
  std::string command_id;  ///< empty: the tab's latest
  std::uint64_t max_output_bytes = 32'768;
  TextView view;
};

struct CancelledCommand {
  CommandResult result;
  std::vector<Survivor> survivors;
};

struct ClosedTab {
  bool closed = false;
  std::vector<Survivor> survivors;
};

struct SendText {
  WindowId window_id;
  std::string text;            ///< of any size; valid UTF-8 without NUL
  bool submit = true;          ///< press Enter after it, unless it ends with a newline
  bool allow_control = false;  ///< other control characters than tab and newline, sent as they are
};

struct SendKeys {
  WindowId window_id;
  std::vector<std::string> keys;  ///< names as in keys.hpp
};

struct SentInput {
  std::uint64_t sent = 0;       ///< bytes of text, or keys
  std::uint64_t from_byte = 0;  ///< log offset before anything that it brings about
  std::vector<std::string> notes;
};

/// What became of keys that were offered to a tab.
struct OfferedKeys {
  enum class Fate {
    held,     ///< nothing waits for them: nothing was typed
    typed,    ///< the first of them
    unknown,  ///< tmux was told to type the first of them, and did not say that it has: never to be sent
              ///< again
  };
  Fate fate = Fate::held;
  std::size_t bytes = 0;  ///< how many the first are
};

struct ReadScreen {
  WindowId window_id;
  std::uint64_t scrollback_lines = 0;          ///< lines above the screen
  bool strip_ansi = true;                      ///< false: with the sequences for colours
  std::uint64_t most_bytes = 262'144;          ///< of text, as JSON: rows above what fits are left out
  std::uint64_t skip_rows = 0;                 ///< rows from below, blank ones too, that were shown before
  std::shared_ptr<TextGuard> guard = nullptr;  ///< masks secrets
};

struct TabScreen {
  std::string text;  ///< a line each row, blank rows at the end left out
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t cursor_row = 0;  ///< both from 0, at the top left of the screen, scrollback not counted
  std::uint64_t cursor_col = 0;
  bool alternate_screen = false;
  std::string title;               ///< as the program set it, at most 4 KiB
  std::uint64_t omitted_rows = 0;  ///< above `text`
  std::vector<std::string> notes;
};

struct LogLines {
  std::string content;
  std::uint64_t returned_lines = 0;
  bool truncated = false;  ///< more lines existed, or the answer was cut at 256 KiB
  std::uint64_t next_byte = 0;
  std::vector<std::string> notes;
};

struct LogChunk {
  std::string chunk;  ///< raw bytes from the log, cut on character and escape-sequence borders unless `exact`
  std::uint64_t next_byte = 0;  ///< raw bytes; always past from_byte unless nothing is there
  bool eof = false;             ///< the current end was reached
  std::optional<std::uint64_t>
      gap_bytes;             ///< bytes that are gone between from_byte and the chunk; none: no gap
  bool gap_unknown = false;  ///< bytes that nobody counted are missing there as well
};

struct ReadLogChunk {
  /// As from_byte: wherever the log ends now. Any other offset beyond the end is refused.
  static constexpr std::uint64_t kLogEnd = UINT64_MAX;

  WindowId window_id;
  std::uint64_t from_byte = 0;
  std::uint64_t max_bytes = 65'536;
  TextView view;
  bool exact = false;         ///< any byte range, for base64
  std::uint64_t wait_ms = 0;  ///< how long to wait for a first byte when from_byte is the end
};

/// The C++ API of the product: tabs of one instance, their commands and their logs. Structs in, structs out,
/// no JSON.
///
/// Single-threaded: every call on the executor it was made with. Every call returns by its deadline, errors
/// are thrown as `Error`. Calls on one tab are served in order; calls on different tabs run side by side. A
/// call that its client gives up is cancelled through Asio's cancellation slot (terminal): a running command
/// is then interrupted as by `cancel_command`, and the call ends with `operation_aborted`. Nothing is touched
/// on disk and no tmux is started before the first call that needs it.
class TmuxManager {
 public:
  /// `executor` must run on one thread and outlive the manager.
  TmuxManager(boost::asio::any_io_executor executor, Config config);
  ~TmuxManager();
  TmuxManager(const TmuxManager&) = delete;
  TmuxManager& operator=(const TmuxManager&) = delete;

  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  [[nodiscard]] Awaitable<std::vector<TabInfo>> list_tabs();
  [[nodiscard]] Awaitable<CreatedTab> create_tab(CreateTab request);
  /// Without `force`: HUP, TERM, KILL over 2 s for what runs; then the log is drained and the window closed.
  [[nodiscard]] Awaitable<ClosedTab> close_tab(WindowId tab, bool force);
  [[nodiscard]] Awaitable<void> rename_tab(WindowId tab, std::string name);

  /// Runs a command and returns when it ended, timed out or was handed over. `on_output` sees the raw bytes
  /// as they come.
  [[nodiscard]] Awaitable<CommandResult> execute(ExecuteCommand request, OutputCallback on_output = {});
  [[nodiscard]] Awaitable<StartedProcess> start_process(StartProcess request);
  /// Sends one signal and says within 2 s whether the process ended. Does not escalate.
  [[nodiscard]] Awaitable<StoppedProcess> stop_process(WindowId tab, StopSignal signal);
  [[nodiscard]] Awaitable<CommandResult> command_state(QueryCommand request);
  /// C-c, SIGTERM after 500 ms, SIGKILL after 5 s (`force`: at once), until the shell is back.
  /// What a person started is ended, too; its exit code is not known then.
  [[nodiscard]] Awaitable<CancelledCommand> cancel_command(WindowId tab, bool force, TextView view,
                                                           std::uint64_t max_output_bytes = 32'768);
  /// The same for this command, and for nothing that came to run in its tab but in a shell that it opened.
  [[nodiscard]] Awaitable<void> end_command(WindowId tab, std::string command_id);

  /// Returns the moment that what is waited for has come, the command has ended, the tab is closed, or the
  /// time is over (the synchronous window at the latest). Changes nothing, holds no lock; cancelled, it just
  /// ends. Throws Error(invalid_argument) for a bad pattern.
  [[nodiscard]] Awaitable<Waited> wait_for(WaitFor request);

  /// Types text into whatever has the tab's foreground. Throws Error(invalid_argument) and sends nothing when
  /// the text has control characters that were not allowed, or a line that the terminal would cut.
  [[nodiscard]] Awaitable<SentInput> send_text(SendText request);
  [[nodiscard]] Awaitable<SentInput> send_keys(SendKeys request);
  /// For a person at another terminal: types the first of `typed`, as a terminal sends keys, that the program
  /// in the tab's foreground waits for: up to the end of a line where it reads lines, else one key. tmux
  /// types it only while the command goes on. Throws Error where nothing was typed.
  [[nodiscard]] Awaitable<OfferedKeys> offer_keys(WindowId tab, std::string typed);
  [[nodiscard]] Awaitable<TabScreen> read_screen(ReadScreen request);

  /// The last `lines` lines of the log. An unfinished last line counts.
  [[nodiscard]] Awaitable<LogLines> read_lines(WindowId tab, std::uint64_t lines, TextView view);
  [[nodiscard]] Awaitable<LogChunk> read_chunk(ReadLogChunk request);
  /// The lines of the log that a pattern matches, up to its end as it is now. Takes as long as it takes, in
  /// slices; after 30 s it says where to go on. Cancelled, it just ends.
  [[nodiscard]] Awaitable<FoundLines> search_logs(SearchLogs request);
  /// What `other_tabs` is to compare with.
  [[nodiscard]] Awaitable<TabList> tabs_now();
  /// The tabs as soon as they differ from `known`: waits as long as that takes. Costs nothing while
  /// nothing happens. Starts no tmux, and knows of tabs only once another call has needed them.
  [[nodiscard]] Awaitable<TabList> other_tabs(TabList known, TabNews news);
  /// Returns once this command has ended, whoever looks after it. Throws Error(not_found).
  [[nodiscard]] Awaitable<void> wait_for_command(WindowId tab, std::string command_id);
  [[nodiscard]] Awaitable<void> set_history_limit(std::uint32_t limit);
  /// The open tab of that name; none: there is no such tab. Throws Error(invalid_argument) when several have
  /// the name.
  [[nodiscard]] Awaitable<std::optional<WindowId>> tab_named(std::string name);

  /// Where the files of commands are, whose names a reader need not see (own_lines.hpp).
  [[nodiscard]] std::string files_directory() const;

  /// Of these variables, what open tabs have that were not told of before: in the `env` of create_tab, or
  /// from the environment of the server that started their tmux. Also of tabs that an earlier server opened.
  /// Asks the system, not tmux, and does not wait.
  [[nodiscard]] std::vector<Variable> new_tab_variables(const std::vector<std::string>& names);

  /// For a named instance, in the background: finds the tmux server that a server before us left and looks
  /// after the commands that run there, without waiting for a call. Returns when there is nothing to find.
  [[nodiscard]] Awaitable<void> look_after_running();

  /// Ends what must not outlive this process: an unnamed instance's tabs, processes and runtime directory.
  /// Within 1.5 s.
  [[nodiscard]] Awaitable<void> shut_down();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace terminally
