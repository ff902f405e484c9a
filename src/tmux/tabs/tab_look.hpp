#pragma once

#include <optional>

#include "system/foreground.hpp"
#include "tab/tab.hpp"
#include "tab/tab_info.hpp"

namespace terminally {

/// What is told of an open tab, as it was when it was looked at last, for a tenth of what a look costs: where
/// its shell was at its prompt then, nothing of it has run since and nothing was printed. nullopt: it is to
/// be looked at.
[[nodiscard]] std::optional<TabInfo> info_at_rest(Tab& tab, RunningMarks& marks);

/// Whether the shell is in the directory by its own account ($PWD), too: in one that came through a link,
/// `cd ..` leads elsewhere. False where that is not known.
[[nodiscard]] bool says_it_is_in(const std::string& directory, const Foreground& shell, Tab& tab);

/// What `foreground`, which was seen just now, and its log say of an open tab. Behind info_at_rest.
[[nodiscard]] TabInfo info_of(Tab& tab, const Foreground& foreground);

}  // namespace terminally
