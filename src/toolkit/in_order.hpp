#pragma once

#include <vector>

#include "toolkit/tool.hpp"

namespace terminally {

/// As tools/list shows them: first one that is read-only, reaches nothing else, and takes nothing but `{}`,
/// because clients and test suites call the first one blindly; then all others by name.
[[nodiscard]] std::vector<Tool> in_order(std::vector<Tool> tools);

}  // namespace terminally
