#pragma once

#include <filesystem>
#include <string>

namespace terminally {

/// Whether we may run this file.
[[nodiscard]] bool is_program(const std::filesystem::path& path);

/// `name` itself when it has a slash, else the first such program on PATH. Unlike execvp(3) this skips
/// relative directories of PATH: they mean another place in each working directory. Empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

}  // namespace terminally
