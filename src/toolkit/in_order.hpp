#pragma once

#include <vector>

#include "toolkit/tool.hpp"

namespace terminally {

/// Sorts tools for tools/list. The first is read-only, not open-world and without arguments, because clients
/// and test suites call the first one blindly; all others follow by name.
[[nodiscard]] std::vector<Tool> in_order(std::vector<Tool> tools);

}  // namespace terminally
