#pragma once

#include <optional>
#include <set>
#include <string>

#include "system/foreground.hpp"
#include "system/proc.hpp"

namespace terminally {

/// Finds who takes a part of what is typed at a shell's prompt: a process in a session of its own that has
/// the shell's terminal open, and waits for it (setsid, `su -c … &`, a pinentry). The kernel hands what is
/// typed to either of them, in pieces. In the shell's own session such a process would be stopped.
///
/// One for each terminal. Looks at one file of /proc while the shell has waited for no child since the last
/// look, and neither a child of it nor another user of the terminal lives; else at the list of all processes,
/// and at the files of those that came with the terminal or later and may use it. Not seen: another user's
/// process whose files we may not read, and one that is older than the terminal and opens it by its name.
class OtherReaders {
 public:
  /// `shell`: is at its prompt. `pane`: came with the terminal.
  [[nodiscard]] std::optional<ProcessInfo> look(const Foreground& shell, ProcessId pane,
                                                const std::string& tty);

 private:
  [[nodiscard]] std::optional<ProcessInfo> look_at_all(const Foreground& shell, ProcessId pane,
                                                       dev_t terminal);

  int shell_ = 0;
  std::uint64_t waited_for_ = 0;  ///< by the shell, as waited_children
  bool is_used_ = false;          ///< by others than the shell and those above it
  std::set<int> strangers_;       ///< have not opened the terminal, and will not
};

/// "pid 812 (cat), in a session of its own, reads the tab's keyboard".
[[nodiscard]] std::string describe_reader(const ProcessInfo& reader);

}  // namespace terminally
