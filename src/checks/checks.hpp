#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config.hpp"

namespace terminally {

/// The result of one check.
struct Finding {
  enum class Grade { ok, warning, wrong };
  Grade grade = Grade::ok;
  std::string what;
  std::string mend;  ///< what to do; empty when it is ok
};
using Findings = std::vector<Finding>;

// The checks of `doctor`. No check changes anything or throws because something is missing.
[[nodiscard]] Findings check_tmux(const Config& config);  // checks_programs.cpp
[[nodiscard]] Findings check_helpers(const Config& config);
[[nodiscard]] Findings check_shells(const Config& config);
[[nodiscard]] Findings check_clients(const Config& config);      // checks_clients.cpp
[[nodiscard]] Findings check_directories(const Config& config);  // checks_system.cpp
[[nodiscard]] Findings check_socket_path(const Config& config);
[[nodiscard]] Findings check_locale(const Config& config);
[[nodiscard]] Findings check_kernel(const Config& config);
[[nodiscard]] Findings check_limits(const Config& config);

/// The nearest existing directory at or above `path`: where a missing one would be made.
[[nodiscard]] std::filesystem::path nearest_directory(std::filesystem::path path);

[[nodiscard]] inline Finding fine(std::string what) {
  return {Finding::Grade::ok, std::move(what), {}};
}
[[nodiscard]] inline Finding warning(std::string what, std::string mend) {
  return {Finding::Grade::warning, std::move(what), std::move(mend)};
}
[[nodiscard]] inline Finding wrong(std::string what, std::string mend) {
  return {Finding::Grade::wrong, std::move(what), std::move(mend)};
}

}  // namespace terminally
