#pragma once

#include <filesystem>

namespace terminally {

/// The project that a directory is in: the next directory upward that has a `.git`, else the directory
/// itself. Empty where that is the home directory or one above it: a person who starts a program there has
/// chosen no project. Both paths are absolute; links in them are resolved.
[[nodiscard]] std::filesystem::path project_of(const std::filesystem::path& directory,
                                               const std::filesystem::path& home);

}  // namespace terminally
