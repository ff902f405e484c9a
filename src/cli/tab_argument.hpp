#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "config.hpp"

namespace terminally {

/// Adds the positional argument that names a tab: "@3", or the name of one open tab.
CLI::Option* add_tab_argument(CLI::App& command, std::string& tab, const std::string& description);

/// The same for an id only: a word that is no id is left to the next argument.
CLI::Option* add_tab_id_argument(CLI::App& command, std::optional<WindowId>& tab,
                                 const std::string& description);

/// The tab that the argument names. An id need not belong to an open tab; a name is looked up in the running
/// instance. Throws Error(not_found), or Error(invalid_argument) when several open tabs have the name.
[[nodiscard]] WindowId tab_of(const Config& config, const std::string& which);

/// tab_of for an argument that may be left out; nullopt for an empty one.
[[nodiscard]] std::optional<WindowId> tab_if_given(const Config& config, const std::string& which);

/// Whether an open tab of the running instance has this name. `guest` is a configuration of guest_of.
[[nodiscard]] bool is_name_of_tab(const Config& guest, const std::string& which);

[[nodiscard]] Error no_such_tab(const std::string& which);

}  // namespace terminally
