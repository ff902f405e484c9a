#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/proc.hpp"
#include "tab/results.hpp"

namespace terminally {

/// What a shell is reached through that is not one of this user on this side: an ssh, su, sudo.
struct WayIn {
  ProcessId process;
  std::string name;
  bool ends_with_command = false;          ///< the command's own result tells that it is gone
  std::int64_t seen_steady_ms = 0;         ///< when the shell behind it is known to have been there
  std::int64_t told_steady_ms = 0;         ///< when a client was told that it is gone; 0: none was
  std::int64_t told_people_steady_ms = 0;  ///< the same of people at their terminals (exec)
};

/// What is kept of a command: written before it is typed, when it begins, when its deadline moves, when it is
/// interrupted, and when it has ended. Offsets are raw bytes of the tab's log. What ends in `_steady_ms` is
/// on the monotonic clock, which all processes of one boot share and nobody can set; a command does not
/// outlive its boot.
struct CommandRecord {
  std::string id;     ///< the first 8 digits of the nonce
  std::string nonce;  ///< 32 hexadecimal digits; empty for what a person had started
  std::string command;
  std::string who;       ///< the client's name and version, "cli", or "a person"; may be empty
  std::string task_key;  ///< what only who began it as a task knows; empty: it is none
  CommandState state = CommandState::running;
  Reason reason = Reason::none;  ///< of a running one: why it is being ended
  std::optional<int> exit_code;
  bool timed_out = false;
  std::uint64_t typed_byte = 0;  ///< where to look for START from
  std::uint64_t start_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint64_t unread_from = 0;   ///< its END may come into the log behind this offset; 0: it does not
  std::int64_t started_at_ms = 0;  ///< since the epoch
  std::int64_t started_steady_ms = 0;
  std::int64_t deadline_steady_ms = 0;  ///< 0: none
  std::uint64_t started_ticks = 0;      ///< as the start_ticks of processes
  int shell_pid = 0;                    ///< the shell that it was typed into
  std::uint64_t shell_image = 0;        ///< what that ran then, see process_image
  std::vector<int> older_jobs;          ///< that shell's children from before
  std::optional<WayIn> way_in;          ///< to that shell, or to the one that the command opened
  std::uint64_t duration_ms = 0;
  std::string cwd;
  std::vector<std::string> notes;  ///< what the reader of its result should know
  bool signalled = false;  ///< stop_process has sent it a signal, or was about to: its end counts as ours
  bool withdrawn = false;  ///< it was not run after all: it is nobody's command
};

/// The first words of a command, as a name for it: up to 40 ASCII characters of its first line.
[[nodiscard]] std::string first_words(const std::string& command);

/// One line of JSON, its newline included.
[[nodiscard]] std::string encode_record(const CommandRecord& record);
/// nullopt for what is no record of ours: a line that was torn, or has numbers that none of ours has.
[[nodiscard]] std::optional<CommandRecord> decode_record(std::string_view line);

/// How long a command that runs has run by now, on the monotonic clock.
[[nodiscard]] std::uint64_t ran_for_ms(const CommandRecord& record);

/// What is said already is not said again.
void note_once(std::vector<std::string>& notes, std::string note);

}  // namespace terminally
