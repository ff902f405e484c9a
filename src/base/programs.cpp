// Looks programs up on PATH.
#include "base/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace terminally {

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? name : "";
  }
  const char* value = std::getenv("PATH");
  const std::string_view path = value != nullptr ? value : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path candidate = std::filesystem::path(path.substr(begin, end - begin)) / name;
    if (candidate.is_absolute() && is_program(candidate)) {
      return candidate;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace terminally
