// Finds the project of a directory: the nearest directory upward that has a .git.
#include "files/project.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/digests.hpp"

namespace terminally {
namespace {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? path.lexically_normal() : real;
}

/// Not a stranger's, who could make a directory of many users (/tmp) a project by a .git in it: as git has it
/// (CVE-2022-24765).
bool is_ours(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && (info.st_uid == ::geteuid() || info.st_uid == 0);
}

}  // namespace

std::string instance_of_project(const fs::path& project) {
  constexpr std::size_t kLongestName = 24;
  constexpr std::size_t kDigits = 6;
  std::string name;
  for (const char c : project.filename().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (plain || (!name.empty() && name.back() != '-')) {
      name += plain ? c : '-';
    }
  }
  name.resize(std::min(name.size(), kLongestName));
  if (name.empty()) {
    name = "project";
  }
  if (name.back() != '-') {
    name += '-';
  }
  return name + fnv1a_hex(project.native()).substr(0, kDigits);
}

bool has_within(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

fs::path project_of(const fs::path& directory, const fs::path& home) {
  const fs::path start = real_path(directory);
  const fs::path user = home.empty() ? fs::path() : real_path(home);
  // A repository of all that is in the home directory is no project.
  const auto is_project = [&](const fs::path& at) {
    return at.has_relative_path() && (user.empty() || !has_within(at, user));
  };
  for (fs::path at = start; is_project(at); at = at.parent_path()) {
    if (is_ours(at) && is_ours(at / ".git")) {
      return at;
    }
  }
  return is_project(start) ? start : fs::path();
}

}  // namespace terminally
