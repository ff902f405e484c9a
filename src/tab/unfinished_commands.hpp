#pragma once

#include <vector>

#include "tab/record.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// The commands of a tab that run, as far as its records say; the outermost first. For whoever holds the
/// tab's lock, or for a closed tab, where the pane is not known. Takes away the mark of one that has ended.
[[nodiscard]] std::vector<CommandRecord> unfinished_commands(const Tab& tab);

/// Whether there may be one, for who does not hold the lock.
[[nodiscard]] bool may_have_unfinished(const Tab& tab);

}  // namespace terminally
