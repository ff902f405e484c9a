#pragma once

#include <CLI/App.hpp>
#include <string>

#include "base/ids.hpp"
#include "config.hpp"
#include "log/pane_log.hpp"

namespace terminally {

/// Adds the positional argument that names a log: a tab ("@3" or a name), or the path of a log file.
CLI::Option* add_log_argument(CLI::App& command, std::string& which, const std::string& description);

/// The log of an open or closed tab, also of an instance that no longer runs where --instance names it.
/// Throws Error(not_found) that says where the log was looked for.
[[nodiscard]] PaneLog log_of(const Config& config, WindowId tab);

/// The log that the argument names. Throws as log_of and tab_of.
[[nodiscard]] PaneLog log_named(const Config& config, const std::string& which);

}  // namespace terminally
