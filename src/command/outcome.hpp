#pragma once

#include <optional>
#include <string>

#include "command/senses.hpp"
#include "record/record.hpp"

namespace terminally {

/// How a command ended, and by what that is known.
struct Outcome {
  enum class Seen {
    end,               ///< END was read
    refused,           ///< END says that the shell did not take it
    exit_file,         ///< END is missing
    log_stands_still,  ///< the same, and its writer is stopped
    tmux_stands_still,
    untaken,     ///< its shell waits at its prompt, and will never take it
    called_off,  ///< before it was typed again, or at all
    not_typed,   ///< typing it failed, and it was not taken
    gave_up,     ///< whatever was done, it did not end
    not_begun,   ///< its tab was closed first
    tab_gone,
    shell_gone,
    log_unreadable,
  };
  Seen seen = Seen::end;
  CommandState state = CommandState::failed;
  Reason reason = Reason::none;
  std::optional<int> exit_code = std::nullopt;
};

/// What END means. `why`: as Termination::why. `others_typed`: somebody else may have typed C-c. `stopped`:
/// something of the command waits to be continued.
[[nodiscard]] Outcome outcome_of(SeenEnd end, Reason why, bool others_typed, bool stopped);
/// Whether the shell says so: the program died of it (ksh93 counts from 256), or the text was abandoned (zsh
/// and fish then report 0).
[[nodiscard]] bool looks_interrupted(SeenEnd end);
/// How one ends whose shell will never take it.
[[nodiscard]] Outcome untaken();
/// Whether nobody wants it any more that is not typed yet: it is cancelled, its time is over, or its call has
/// answered.
[[nodiscard]] bool is_called_off(const Requested& requested, Clock::time_point now);
/// How one ends that was not run and is not typed (again): it was cancelled, its time is over, or its call
/// has answered.
[[nodiscard]] Outcome called_off(const Requested& requested);
/// What the exit code 0 does not tell, for people: that a part of the last pipeline failed. `parts`: as
/// Marker::parts. Empty: none did, or it only wrote to one that had read enough (SIGPIPE).
[[nodiscard]] std::string failed_parts(const std::string& parts);
/// How one ended whose END is missing: its file tells the code. `why`: as Termination::why.
[[nodiscard]] Outcome by_exit_file(Outcome::Seen seen, Reason why, std::optional<int> exit_code);
/// How one ended whose END is not known, nor its exit code.
[[nodiscard]] Outcome lost(Outcome::Seen seen, Reason why);

}  // namespace terminally
