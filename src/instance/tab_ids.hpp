#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "instance/instance.hpp"
#include "tab/tab.hpp"

namespace terminally {

// All of these throw Error(io) where a directory or file is there and cannot be read: what is unknown is not
// absent, and an id is not given twice for it.

/// The files of tabs by id. No second tab of an instance gets the same id: each generation of the tmux server
/// begins with the first number that no earlier one used (doc/pane-log.md, "Files").

/// The path of a pane's log in a generation's directory. `tag`: "@3" for a tab's own pane, "@3.%7" for a pane
/// that a person split off.
[[nodiscard]] std::filesystem::path log_path(const std::filesystem::path& generation, std::string_view tag);

/// Where the files of a tab are.
[[nodiscard]] Tab::Home home_of(const Instance& instance, std::uint32_t generation, WindowId tab);

/// The tab whose records are in this file ("pane-@3.commands"); nullopt for other files.
[[nodiscard]] std::optional<WindowId> tab_of_records(const std::filesystem::path& path);

/// The generations on disk, the newest first.
[[nodiscard]] std::vector<std::uint32_t> generations(const Instance& instance);

/// The tabs that have a log, open and closed, by id.
[[nodiscard]] std::vector<WindowId> tabs_with_logs(const Instance& instance);

/// The generation of a tab, open or closed; nullopt when nothing of the tab is left, or it never existed.
/// Checks one or two files in each generation back to that one.
[[nodiscard]] std::optional<std::uint32_t> generation_of(const Instance& instance, WindowId tab);

/// The first number that no tab of the instance ever had. Reads the notes of note_used_id, and as many
/// directories as it takes to find a log.
[[nodiscard]] std::uint32_t first_unused_id(const Instance& instance);

/// Notes in an instance's state directory that a tab had this number, for when nothing else of the tab is
/// left. False when the note cannot be written.
bool note_used_id(const std::filesystem::path& state, WindowId tab);

}  // namespace terminally
