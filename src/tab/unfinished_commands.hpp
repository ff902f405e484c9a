#pragma once

#include <vector>

#include "record/record.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// The running commands of a tab by its records, the outermost first. The caller holds the tab's lock, or the
/// tab is closed. Removes the files of a command that has ended.
[[nodiscard]] std::vector<CommandRecord> unfinished_commands(const Tab& tab);

/// Whether there may be a running command; needs no lock.
[[nodiscard]] bool may_have_unfinished(const Tab& tab);

}  // namespace terminally
