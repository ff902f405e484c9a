#pragma once

#include <string>

namespace terminally {

/// Identifies this program among all builds.
struct Build {
  std::string version;       ///< "0.1.0"
  std::string architecture;  ///< as uname(1) names it: "x86_64"
  std::string hash;          ///< 16 hex digits of the build id, the linker's hash of the program
};

[[nodiscard]] Build this_build();

/// "0.1.0 x86_64 4be01c7d2a90f3e8": as `--version` prints it after the program's name.
[[nodiscard]] std::string text_of(const Build& build);

}  // namespace terminally
