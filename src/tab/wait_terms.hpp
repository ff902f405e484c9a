#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/timeout.hpp"
#include "log/text_view.hpp"
#include "record/record.hpp"

namespace terminally {

/// What a call can wait for.
enum class Until {
  exit,     ///< the tab's command ends
  pattern,  ///< a PCRE2 pattern matches what is printed, without its escape sequences
  idle,     ///< nothing is printed for idle_ms
  input,    ///< the foreground program waits for the keyboard
  port,     ///< a process of the tab listens on a TCP port
};

struct WaitTerms {
  Until until = Until::exit;
  std::string pattern;          ///< for Until::pattern
  std::uint64_t idle_ms = 500;  ///< for Until::idle
  std::uint16_t port = 0;       ///< for Until::port
  std::uint64_t timeout_ms = 10'000;
  std::optional<Clock::time_point> arrived;  ///< when the call came that waits; none: now
  std::uint64_t max_output_bytes = 32'768;
  TextView view;
};

struct WaitFor {
  WindowId window_id;
  WaitTerms waiting;
  /// Where to look for a pattern, and what `output` begins with. None: the start of the tab's latest command.
  /// A command that ended before it is not what is waited for.
  std::optional<std::uint64_t> from_byte;
  bool hand_over = true;      ///< return after sync_window_ms, whatever it does
  bool behind_input = false;  ///< for input that was sent: a full-screen program's output is its screen
};

/// How a wait ended, and what was printed in the meantime.
struct WaitForResult {
  bool matched = false;  ///< what was waited for has come
  /// Why not: "timeout", "awaiting_input", "exited" (the process died first), "tab_closed"; empty when it
  /// matched.
  std::string reason;
  std::string match;  ///< the matched text; for a port: who listens, "pid name"
  std::string output;
  std::uint64_t next_byte = 0;  ///< log offset up to which `output` goes
  CommandState state = CommandState::completed;
  std::optional<int> exit_code;
  std::optional<AwaitingInput> awaiting_input;
  std::vector<std::string> notes;
};

}  // namespace terminally
