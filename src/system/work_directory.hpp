#pragma once

#include <filesystem>
#include <string>

namespace terminally {

/// Where new tabs begin: `project`, else the home directory, else the root. The first that is there.
[[nodiscard]] std::string first_directory(const std::filesystem::path& project);

/// The absolute path that a `cwd` means: it may be relative to first_directory, or begin with "~". Empty:
/// first_directory. Throws Error(invalid_argument) for a NUL byte.
[[nodiscard]] std::string meant_directory(const std::filesystem::path& project, const std::string& cwd);

/// Without "." and "..", as `cd` takes them, and without a slash at the end.
[[nodiscard]] std::string tidy_path(const std::filesystem::path& path);

}  // namespace terminally
