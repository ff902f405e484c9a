#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "tmux/ids.hpp"

namespace terminally {

/// Adds the positional argument that names a tab, "@3".
CLI::Option* add_tab_argument(CLI::App& command, std::optional<WindowId>& tab,
                              const std::string& description);

}  // namespace terminally
