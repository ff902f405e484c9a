// Finds the project of a directory: the nearest directory upward that has a .git.
#include "files/project.hpp"

#include <algorithm>
#include <system_error>

namespace terminally {
namespace {

namespace fs = std::filesystem;

bool has_within(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? path.lexically_normal() : real;
}

}  // namespace

fs::path project_of(const fs::path& directory, const fs::path& home) {
  const fs::path start = real_path(directory);
  fs::path project = start;
  std::error_code error;
  for (fs::path at = start; at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) {
      project = at;
      break;
    }
  }
  const bool is_none =
      !project.has_relative_path() || (!home.empty() && has_within(project, real_path(home)));
  return is_none ? fs::path() : project;
}

}  // namespace terminally
