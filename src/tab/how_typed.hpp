#pragma once

#include "base/error.hpp"
#include "shell/shells.hpp"
#include "system/foreground.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// How a command was typed: what its end needs to know of that.
struct HowTyped {
  ShellScript script;
  bool nested = false;           ///< another command of ours goes on around it
  bool in_files = false;         ///< its shell reads our files
  ExitReporter reporter;         ///< of the shell that it was typed into
  std::optional<Error> failure;  ///< what the typing threw: the line may have been typed all the same

  void mark_running(const CommandFiles& files, const CommandRecord& record) const;
  /// Writes what the shell needs at the end of the command, if somebody has removed it (cleaners of /tmp do).
  void restore_files(const CommandFiles& files, const CommandRecord& record) const noexcept;
};

/// The same of a command that another process typed, as far as it can be seen. `helper`: terminally-shell.
[[nodiscard]] HowTyped how_it_was_typed(const Tab& tab, const CommandRecord& record,
                                        const std::filesystem::path& helper);

}  // namespace terminally
