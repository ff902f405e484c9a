#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/proc.hpp"
#include "tab/results.hpp"

namespace terminally {

/// The gateway (ssh, su, sudo …) through which a shell of another user or machine is reached.
struct WayIn {
  ProcessId process;
  std::string name;
  bool ends_with_command = false;          ///< the command's own result tells that the gateway is gone
  std::int64_t seen_steady_ms = 0;         ///< when the shell behind the gateway was last seen
  std::int64_t told_steady_ms = 0;         ///< when a client was told that the gateway is gone; 0: none was
  std::int64_t told_people_steady_ms = 0;  ///< when a person at a terminal (exec) was told so
};

/// The record of a command: written before the command is typed, when it begins, when its deadline moves,
/// when it is interrupted, and when it has ended. Offsets are raw bytes of the tab's log. Fields in
/// `_steady_ms` are on the monotonic clock, which all processes of one boot share and nobody can set; no
/// command outlives its boot.
struct CommandRecord {
  std::string id;     ///< the first 8 digits of the nonce
  std::string nonce;  ///< 32 hexadecimal digits; empty for what a person had started
  std::string command;
  std::string who;       ///< the client's name and version, "cli", or "a person"; may be empty
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
  std::uint64_t started_ticks = 0;      ///< as the start_ticks of processes
  int shell_pid = 0;                    ///< the shell that the command was typed into
  std::uint64_t shell_image = 0;        ///< the image of shell_pid then, see process_image
  std::vector<int> older_jobs;          ///< that shell's children before the command
  std::optional<WayIn> way_in;          ///< the gateway to that shell, or to the one that the command opened
  std::uint64_t duration_ms = 0;
  std::string cwd;
  std::vector<std::string> notes;  ///< what the reader of its result should know
  bool signalled = false;  ///< stop_process has sent a signal, or was about to: the end counts as ours
  bool withdrawn = false;  ///< it was not run after all: it counts as no command
};

/// The first words of a command, as a name for it: up to 40 ASCII characters of its first line.
[[nodiscard]] std::string first_words(const std::string& command);

/// One line of JSON, its newline included.
[[nodiscard]] std::string encode_record(const CommandRecord& record);
/// nullopt where the line is no record of ours: it was torn, or has numbers that no record has.
[[nodiscard]] std::optional<CommandRecord> decode_record(std::string_view line);

/// How long a command that runs has run by now, on the monotonic clock.
[[nodiscard]] std::uint64_t ran_for_ms(const CommandRecord& record);

/// Adds a note, unless the same note is there already.
void note_once(std::vector<std::string>& notes, std::string note);

}  // namespace terminally
