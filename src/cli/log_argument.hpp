#pragma once

#include <CLI/App.hpp>
#include <string>

#include "base/ids.hpp"
#include "config.hpp"
#include "log/pane_log.hpp"

namespace terminally {

/// Adds the positional argument that names a log: a tab, "@3", or the path of a log file.
CLI::Option* add_log_argument(CLI::App& command, std::string& which, const std::string& description);

/// The log of a tab that is open, closed, or of an instance that no longer runs but was named. Throws
/// Error(not_found) that says where it looked.
[[nodiscard]] PaneLog log_of(const Config& config, WindowId tab);

/// The log that was named by the argument. Throws as log_of.
[[nodiscard]] PaneLog log_named(const Config& config, const std::string& which);

}  // namespace terminally
