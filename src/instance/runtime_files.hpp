#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace terminally {

/// What an instance has in its runtime directory beside the files of commands.
inline constexpr std::array<std::string_view, 5> kInstanceFiles = {"lock", "unnamed", "tmux.conf",
                                                                   "tmux.sock", "choosing.lock"};

/// Whether what has this name in an instance's runtime directory is ours. Nothing else there is ever removed:
/// --runtime-dir and --instance may name a directory that somebody has their own things in.
[[nodiscard]] bool is_runtime_file(std::string_view name);

/// Whether something of ours may be in it: then an instance may take it for its own again, whatever of it was
/// removed.
[[nodiscard]] bool has_runtime_files(const std::filesystem::path& directory);

/// What a process that puts an instance away writes into its lock; its owner writes its pid.
inline constexpr std::string_view kCleaner = "cleaner";

/// Whether it is an instance's, for certain: one `lock`, `tmux.conf` or `20241122` by itself may be
/// somebody's. Only such a directory is ever put away.
[[nodiscard]] bool is_instance_directory(const std::filesystem::path& directory);

}  // namespace terminally
