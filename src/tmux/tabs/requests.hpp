#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "config.hpp"
#include "log/text_view.hpp"
#include "record/record.hpp"
#include "secrets/text_guard.hpp"
#include "tab/tab_info.hpp"
#include "tmux/wire/screen_text.hpp"

namespace terminally {

// What TmuxManager is asked for, and answers.

struct CreateTab {
  std::string name;  ///< up to 200 bytes of UTF-8 without control characters; empty: the shell's name
  std::string cwd;   ///< must exist; relative to the project, or "~/..."; empty: the project, or home
  std::map<std::string, std::string>
      env;                            ///< added to the tab's environment; names are [A-Za-z_][A-Za-z0-9_]*
  bool login = false;                 ///< start the shell as a login shell
  std::string shell;                  ///< path or name of the shell; empty: the user's $SHELL
  bool helper = false;                ///< for calls that name no tab, while "main" is busy
  std::optional<std::uint64_t> cols;  ///< none: as the server's
  std::optional<std::uint64_t> rows;
};

/// What who watches an open tab sees of it, beside its row in the list.
struct TabFace {
  int cols = 0;
  int rows = 0;
  bool alternate = false;                 ///< a program has the alternate screen
  std::optional<AwaitingInput> awaiting;  ///< settled
};

struct CreatedTab {
  WindowId window_id;
  std::string name;
  std::string log_path;
};

struct ExecuteCommand {
  std::optional<WindowId> window_id;  ///< none: the tab "main", or a helper tab while that is busy
  std::string command;                ///< a script of any length; no NUL
  std::string cwd;  ///< where the tab goes first, and stays; as CreateTab::cwd; empty: as it is
  /// None: nobody set it a limit. The call has Config::default_timeout_ms then.
  std::optional<std::uint64_t> timeout_ms;
  /// None: Config::on_timeout; one that may wait for the keyboard where that cannot be seen is spared then.
  std::optional<OnTimeout> on_timeout;
  bool hand_over = true;  ///< return after sync_window_ms, whatever it does
  std::uint64_t max_output_bytes = 32'768;
  TextView view;
  /// Return, with Reason::awaiting_input, as soon as it waits for the keyboard and there is time to answer.
  bool return_at_input = true;
  std::string who;              ///< for the record of commands: whose command it is
  std::string task_key;         ///< for the same: what only who calls it as a task knows
  std::filesystem::path input;  ///< read as its standard input; empty: the terminal. Not behind ssh or su
  BeganCallback on_begin = nullptr;  ///< may be empty
  /// Told when it waits for the keyboard and the call goes on all the same. May be empty.
  std::function<void(const AwaitingInput&)> on_awaiting = nullptr;
};

struct StartProcess {
  std::optional<WindowId> window_id;  ///< none: as for ExecuteCommand
  std::string command;
  std::string cwd;                    ///< as for ExecuteCommand
  bool append_newline = true;         ///< false: paste the text at the prompt and do not submit it
  std::string who;                    ///< for the record of commands: whose command it is
  std::string task_key;               ///< for the same, as of ExecuteCommand
  std::uint64_t timeout_ms = 10'000;  ///< how long a turn in the tab and its prompt are waited for
};

struct StartedProcess {
  WindowId window_id;
  std::optional<bool> started = false;  ///< none: it was typed, and it is not known whether it has begun
  std::optional<std::string> command_id;
  std::uint64_t start_byte = 0;  ///< log offset before the process printed anything
  std::vector<std::string> notes;
};

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

/// Who a line is for: it is typed only while this process waits, and asks what the person has seen.
struct LineReader {
  int pid = 0;
  std::optional<std::string> prompt;  ///< or the begin of it; nullopt: whatever it asks
  bool is_secret = false;             ///< for a password alone, and while the terminal shows nothing
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
  bool last = false;            ///< and nothing comes after it: the tab is closed
  std::optional<std::uint64_t>
      gap_bytes;             ///< bytes that are gone between from_byte and the chunk; none: no gap
  bool gap_unknown = false;  ///< bytes that nobody counted are missing there as well
  std::vector<std::string> notes;
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

}  // namespace terminally
