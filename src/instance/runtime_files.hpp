#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace terminally {

/// The files in an instance's runtime directory, except those of panes, commands and pastes.
inline constexpr std::array<std::string_view, 10> kInstanceFiles = {
    "lock",      "unnamed",       "temporary",     "alone", "tmux.conf",
    "tmux.sock", "choosing.lock", "starting.lock", "peers", "mains"};

/// Whether a file of this name in an instance's runtime directory is ours. No other file there is ever
/// removed: --runtime-dir and --instance may name a directory with files of somebody's own.
[[nodiscard]] bool is_runtime_file(std::string_view name);

/// Whether a file of this name in the directory kOwners there is ours.
[[nodiscard]] bool is_owner_file(std::string_view name);

/// Whether a directory has a file of an instance or of its panes: then an instance may use it again,
/// whichever files were removed. A name of digits (that of a command) says nothing.
[[nodiscard]] bool has_runtime_files(const std::filesystem::path& directory);

/// What a process that removes an instance writes into the lock; an owner writes its pid.
inline constexpr std::string_view kCleaner = "cleaner";

/// Whether a directory is certainly an instance's: it has our socket, or a `lock` that holds a pid or
/// kCleaner or stands beside another file of ours. Only such a directory is ever removed.
[[nodiscard]] bool is_instance_directory(const std::filesystem::path& directory);

}  // namespace terminally
