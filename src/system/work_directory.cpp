// Where work begins, and which directory a path for it means.
#include "system/work_directory.hpp"

#include <cstdlib>
#include <system_error>

#include "base/error.hpp"
#include "system/account.hpp"

namespace terminally {
namespace {

bool is_usable_directory(const std::filesystem::path& path) {
  std::error_code error;
  return path.is_absolute() && std::filesystem::is_directory(path, error);
}

}  // namespace

std::string tidy_path(const std::filesystem::path& path) {
  std::string text = path.lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) {
    text.pop_back();
  }
  return text;
}

std::string first_directory(const std::filesystem::path& project) {
  const char* home = std::getenv("HOME");
  if (is_usable_directory(project)) {
    return project.string();
  }
  return home != nullptr && is_usable_directory(home) ? home : "/";
}

std::string meant_directory(const std::filesystem::path& project, const std::string& cwd) {
  if (cwd.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "cwd: has a NUL byte, which the system cannot take");
  }
  const std::filesystem::path path = with_home(cwd);
  if (path.is_absolute()) {
    return path.string();
  }
  const std::string first = first_directory(project);
  return cwd.empty() ? first : tidy_path(first / path);
}

}  // namespace terminally
