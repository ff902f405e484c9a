#pragma once

#include <optional>
#include <vector>

#include "record/record.hpp"

namespace terminally {

/// The command's exit code, as an exit status can tell it. What was ended is never a success, and what an
/// exit status has no room for is none, and said. Without a code a shell was opened that waits now.
[[nodiscard]] int exit_status_of(CommandState state, std::optional<int> exit_code);

/// Names what lives on.
void complain_of(const std::vector<Survivor>& survivors);

}  // namespace terminally
