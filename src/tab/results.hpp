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

namespace terminally {

/// A process that survived the attempt to end it.
struct Survivor {
  int pid = 0;
  std::string command;  ///< as describe_process
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
  };
  Kind kind = Kind::line;
  std::string prompt;  ///< the last unfinished line that was printed, plain text; may be empty
};

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
  std::vector<std::string> notes;
  std::string task_key;  ///< of its record; never shown
};

}  // namespace terminally
