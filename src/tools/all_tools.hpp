#pragma once

#include <vector>

#include "toolkit/tool.hpp"

namespace terminally {

/// The tool of each file of this folder, as in_order has them: NAME.cpp defines `Tool NAME_tool()`. Nothing
/// else names them (cmake/tools.cmake).
[[nodiscard]] std::vector<Tool> all_tools();

}  // namespace terminally
