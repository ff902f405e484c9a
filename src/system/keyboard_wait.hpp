#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "system/foreground.hpp"
#include "system/terminal.hpp"

namespace terminally {

/// What a foreground group waits for, as far as one of it can tell.
struct GroupWait {
  TtyWait wait = TtyWait::no;
  int pid = 0;
};

/// `line_mode`: the terminal hands over lines, and shows them. Then a process beside the reader that goes on
/// by itself counts, and a pipeline that is still being started waits for nothing.
[[nodiscard]] GroupWait group_wait(const Foreground& foreground, dev_t terminal, bool line_mode);

/// A terminal that a program in the foreground made for others, and passes the keys on to: sudo with a pty of
/// its own, script, su --pty. `foreground`: what has that one.
struct InnerTerminal {
  std::string tty;
  Foreground foreground;
};

/// None is seen where the far side is elsewhere (ssh, docker).
[[nodiscard]] std::optional<InnerTerminal> inner_terminal(const Foreground& foreground, dev_t terminal);

/// Where the keys of a terminal end: there, or in one behind a gateway that has its foreground and passes
/// them on, as far as that can be looked at.
[[nodiscard]] InnerTerminal end_of_keys(const std::string& tty, const Foreground& foreground);

/// A process that was stopped and is waited for, so that nothing goes on.
struct StoppedProgram {
  int pid = 0;
  bool wants_keyboard = false;  ///< it is in the background, and wanted to read, or to set the terminal
};

/// "pid 812 (cat) is stopped: it wants the keyboard from the background".
[[nodiscard]] std::string describe(const StoppedProgram& stopped);

/// Of the processes that began at `since_ticks` or later, below the terminal's shell. None while another of
/// them goes on by itself.
[[nodiscard]] std::optional<StoppedProgram> stopped_program(const Foreground& foreground, dev_t terminal,
                                                            std::uint64_t since_ticks);

}  // namespace terminally
