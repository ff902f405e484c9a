#pragma once

#include <string>

namespace terminally {

/// Which program this is, among all that may run on this machine or another.
struct Build {
  std::string version;       ///< "0.1.0"
  std::string architecture;  ///< as uname(1) calls it: "x86_64"
  std::string hash;          ///< 16 hex digits of all that the linker put into it
};

[[nodiscard]] Build this_build();

/// "0.1.0 x86_64 4be01c7d2a90f3e8": what `--version` says behind the program's name.
[[nodiscard]] std::string text_of(const Build& build);

}  // namespace terminally
