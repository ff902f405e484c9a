#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "log/log_follower.hpp"
#include "system/proc.hpp"

namespace terminally {

/// A process of a command, or of a tab, that outlives its end.
struct Survivor {
  int pid = 0;
  std::string command;  ///< as describe_process
  std::string why;      ///< for people, e.g. "ignores SIGHUP"
};

enum class CommandState {
  running,
  completed,  ///< it ended by itself, with any exit code
  cancelled,  ///< ended by our C-c or signal, a cancel, a time-out, or a C-c typed in the tab
  failed,     ///< it ended without a known exit code, or never began
};

/// Why a command has its state, where that is not plain. doc/results.md has the meaning of each.
enum class Reason {
  none,
  timeout,
  cancelled_by_client,
  cancelled_by_person,
  interrupted_in_tab,
  shell_exited,
  tab_closed,
  tmux_server_lost,
  no_shell_answered,
  handed_over,
  awaiting_input,
};

enum class StopSignal { interrupt, terminate };

/// Called once a command has begun, or has ended at once. `output` reads the command's output at the reader's
/// own pace, to its end. Must not block.
using OutputReader = std::function<void(LogFollower output)>;

/// Called once a command has begun, or has ended at once. Must not block.
using BeganCallback = std::function<void(WindowId window, const std::string& command_id)>;

[[nodiscard]] std::string_view to_string(CommandState state);
[[nodiscard]] std::string_view to_string(Reason reason);

/// The keyboard input that the foreground program waits for; read from /proc and the terminal's mode.
struct AwaitingInput {
  enum class Kind {
    line,      ///< a line, shown as it is typed
    password,  ///< a line that is not shown
    program,   ///< keys: an editor, a pager, a menu
    stopped,   ///< it gets no key: it is stopped, as what reads in the background is
  };
  Kind kind = Kind::line;
  /// The last unfinished line that was printed, plain text; may be empty. For `stopped`: what is, and why.
  std::string prompt;
  int pid = 0;  ///< the process that reads it; 0: not known
};

/// How the notes begin that say nothing but how the command stands and which call comes next. A text answer
/// says that in its last line (toolkit/answer_state.hpp).
inline constexpr std::string_view kStillRunning = "still running: ";
inline constexpr std::string_view kAwaitsText = "it waits for the keyboard: ";

/// What the caller of a tool can do about it.
[[nodiscard]] std::string how_to_answer(const AwaitingInput& awaiting);

/// The state of a command and what it printed. Offsets and counts are raw bytes of the tab's log.
struct CommandResult {
  std::string command_id;
  WindowId window_id;
  std::string command;
  CommandState state = CommandState::running;
  Reason reason = Reason::none;
  std::string
      output;  ///< strictly between START and END, one CR removed from each CRLF; valid UTF-8; bounded
  std::optional<int> exit_code;
  bool timed_out = false;
  std::uint64_t start_byte = 0;
  std::uint64_t end_byte = 0;  ///< of what has been printed so far, while running
  std::uint64_t output_bytes = 0;
  std::uint64_t omitted_bytes = 0;
  std::int64_t started_at_ms = 0;  ///< since the epoch, UTC
  std::uint64_t duration_ms = 0;
  std::string cwd;  ///< of the shell when the command ended; of the foreground process while it runs
  std::optional<AwaitingInput> awaiting_input;  ///< only while running
  std::vector<Survivor> survivors;              ///< of a command that was ended
  std::vector<std::string> notes;
  std::string task_key;  ///< of its record; never shown
};

/// The gateway (ssh, su, sudo …) through which a shell of another user or machine is reached.
struct ShellGateway {
  ProcessId process;
  std::string name;
  bool ends_with_command = false;          ///< the command's own result tells that the gateway is gone
  std::int64_t seen_steady_ms = 0;         ///< when the shell behind the gateway was last seen
  std::int64_t told_steady_ms = 0;         ///< when a client was told that the gateway is gone; 0: none was
  std::int64_t told_people_steady_ms = 0;  ///< when a person at a terminal (exec) was told so
};

/// CommandRecord::who of a `cd` that takes a tab to the directory of the command behind it.
inline constexpr const char* kOurselves = "terminally-mcp";

/// The record of a command: written before the command is typed, when it begins, when its deadline moves,
/// when it is interrupted, and when it has ended. Offsets are raw bytes of the tab's log. Fields in
/// `_steady_ms` are on the monotonic clock, which all processes of one boot share and nobody can set; no
/// command outlives its boot.
struct CommandRecord {
  std::string id;     ///< the first 8 digits of the nonce
  std::string nonce;  ///< 32 hexadecimal digits; empty for what a person had started
  std::string command;
  std::string who;       ///< the client's name and version, "cli", kOurselves, or "a person"; may be empty
  std::string task_key;  ///< the secret of the client that began the command as a task; empty: no task
  CommandState state = CommandState::running;
  Reason reason = Reason::none;  ///< of a running command: why it is being ended
  std::optional<int> exit_code;
  bool timed_out = false;
  std::uint64_t typed_byte = 0;  ///< where to look for START from
  std::uint64_t start_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint64_t unread_from = 0;   ///< END may still come into the log after this offset; 0: it does not
  std::int64_t started_at_ms = 0;  ///< since the epoch
  std::int64_t started_steady_ms = 0;
  std::int64_t deadline_steady_ms = 0;  ///< 0: none
  bool spares_unseen = false;       ///< at its deadline, one that may wait for the keyboard unseen goes on
  std::uint64_t started_ticks = 0;  ///< as the start_ticks of processes
  int shell_pid = 0;                ///< the shell that the command was typed into
  std::uint64_t shell_image = 0;    ///< the image of shell_pid then, see process_image
  std::vector<int> older_jobs;      ///< that shell's children before the command
  std::optional<ShellGateway>
      shell_gateway;  ///< the gateway to that shell, or to the one that the command opened
  std::uint64_t duration_ms = 0;
  std::string cwd;
  std::vector<Survivor> survivors;  ///< when it was ended
  std::vector<std::string> notes;   ///< what the reader of its result should know
  bool signalled = false;    ///< stop_process has sent a signal, or was about to: the end counts as ours
  bool owned_apart = false;  ///< in a nested shell: who looks after it holds CommandFiles::owner_path
  bool withdrawn = false;    ///< it was not run after all: it counts as no command
};

/// The first words of a command, as a name for it: up to 40 ASCII characters of its first line.
[[nodiscard]] std::string first_words(const std::string& command);

/// One line of JSON, its newline included.
[[nodiscard]] std::string encode_record(const CommandRecord& record);
/// nullopt where the line is no record of ours: it was torn, or has numbers that no record has.
[[nodiscard]] std::optional<CommandRecord> decode_record(std::string_view line);

/// How long a command that runs has run by now, on the monotonic clock.
[[nodiscard]] std::uint64_t ran_for_ms(const CommandRecord& record);

/// Adds a note, unless it is empty or there already.
void note_once(std::vector<std::string>& notes, std::string note);

}  // namespace terminally
