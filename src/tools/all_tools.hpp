#pragma once

#include <vector>

#include "toolkit/tool.hpp"

namespace terminally {

/// The tools of this folder, sorted by in_order. Each NAME.cpp defines `Tool NAME_tool()`; cmake/tools.cmake
/// makes the list from the files.
[[nodiscard]] std::vector<Tool> all_tools();

}  // namespace terminally
