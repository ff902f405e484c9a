#pragma once

#include <filesystem>

#include "config.hpp"

namespace terminally::test {

/// Of an instance whose directories are in this one.
inline Config config_in(const std::filesystem::path& directory) {
  Config made;
  made.runtime_root = directory / "r";
  made.state_root = directory / "s";
  return made;
}

}  // namespace terminally::test
