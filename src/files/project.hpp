#pragma once

#include <filesystem>
#include <string>

namespace terminally {

/// The project that a directory is in: the next directory upward that has a `.git`, both this user's or
/// root's, else the directory itself. The home directory and those above it are none, with a `.git` or
/// without: empty for them. Both paths are absolute; links in them are resolved.
[[nodiscard]] std::filesystem::path project_of(const std::filesystem::path& directory,
                                               const std::filesystem::path& home);

/// What the instance of a project is called: its directory's name, and what tells it from others of that name
/// ("webshop-3f2a91"). At most 32 letters, digits, '.', '_' and '-'.
[[nodiscard]] std::string instance_of_project(const std::filesystem::path& project);

/// Whether `inner` is `outer` or below it, by the words of both: canonical paths.
[[nodiscard]] bool has_within(const std::filesystem::path& outer, const std::filesystem::path& inner);

}  // namespace terminally
