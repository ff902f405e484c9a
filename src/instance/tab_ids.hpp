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

/// What an id means on disk. An id is never given to a second tab of the same instance: each generation of
/// its tmux server begins with the first number that none before it used (doc/pane-log.md, "Files").

/// What a pane's log is called by, in its generation's directory: "@3" is a tab's own pane, "@3.%7" one that
/// a person split off.
[[nodiscard]] std::filesystem::path log_path(const std::filesystem::path& generation, std::string_view tag);

/// Where the things of a tab are.
[[nodiscard]] Tab::Home home_of(const Instance& instance, std::uint32_t generation, WindowId tab);

/// The tab whose records are in this file ("pane-@3.commands"); nullopt for other files.
[[nodiscard]] std::optional<WindowId> tab_of_records(const std::filesystem::path& path);

/// The generations on disk, the newest first.
[[nodiscard]] std::vector<std::uint32_t> generations(const Instance& instance);

/// The generation that has a tab, open or closed; nullopt when nothing is left of it, or there never was one.
/// Costs a look at one file for each generation back to it.
[[nodiscard]] std::optional<std::uint32_t> generation_of(const Instance& instance, WindowId tab);

/// The first number that no tab of the instance ever had. Reads the notes of note_used_id, and as many
/// directories as it takes to find a log.
[[nodiscard]] std::uint32_t first_unused_id(const Instance& instance);

/// Keeps in an instance's state directory that a tab had this number, also when nothing else of the tab is
/// left. False when that cannot be written.
bool note_used_id(const std::filesystem::path& state, WindowId tab);

}  // namespace terminally
