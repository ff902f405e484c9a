#pragma once

#include <vector>

#include "base/files.hpp"
#include "record/record.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// A running command, with the lock of whoever looks after it where it has one of its own.
struct Unfinished {
  CommandRecord record;
  FileLock owner;
};

/// The running commands of a tab that no process looks after, by its records, the outermost first: those with
/// a lock of their own that nobody holds, and, where the caller has the tab (`has_tab`: it holds its lock, or
/// the tab is closed), the others. None that are in `tab.runs`. With `has_tab` the files of a command that
/// has ended are removed.
[[nodiscard]] std::vector<Unfinished> unfinished_commands(const Tab& tab, bool has_tab);

/// Whether there may be such a command; needs no lock.
[[nodiscard]] bool may_have_unfinished(const Tab& tab);

}  // namespace terminally
