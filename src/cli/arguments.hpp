#pragma once

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "config.hpp"
#include "log/pane_log.hpp"

namespace terminally {

// The names of argument types in the help. Completions recognize them.
inline constexpr const char* kTabType = "@ID or NAME";
inline constexpr const char* kLogType = "@ID, NAME or PATH";
inline constexpr const char* kInstanceType = "NAME";
inline constexpr const char* kFileType = "PATH";
inline constexpr const char* kDirectoryType = "DIR";
inline constexpr const char* kProgramType = "PROGRAM";

/// Refuses all but a whole number from `least` to `most` in decimal digits. CLI11 by itself takes "-1" for
/// the largest number there is, "0x10" for 16 and "" for 0.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least = 0,
                                          std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Turns "64MiB", "2G" and the like into a number of bytes; refuses all but one from `least` to `most`.
[[nodiscard]] CLI::Validator number_of_bytes(std::uint64_t least, std::uint64_t most);

/// Adds the positional argument that names a log: a tab ("@3" or a name), or the path of a log file.
CLI::Option* add_log_argument(CLI::App& command, std::string& which, const std::string& description);

/// The log of an open or closed tab, of the instance of instance_to_read.
/// Throws Error(not_found) that says where the log was looked for.
[[nodiscard]] PaneLog log_of(const Config& config, WindowId tab);

/// The log that the argument names. Throws as log_of and tab_of.
[[nodiscard]] PaneLog log_named(const Config& config, const std::string& which);

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

/// Whether an open tab of the running instance has this name or id. `guest` is a configuration of guest_of.
[[nodiscard]] bool has_tab(const Config& guest, const std::string& which);

/// The instance that has an open tab of this name or id, where several run and --instance names none; of
/// several with one that of the project here; else empty. Throws Error(invalid_argument) where several have
/// one and none of them is that.
[[nodiscard]] std::string instance_with_tab(const Config& config, const std::string& name);

[[nodiscard]] Error no_such_tab(const std::string& which);

}  // namespace terminally
