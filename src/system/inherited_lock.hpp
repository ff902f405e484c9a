#pragma once

#include <filesystem>

#include "base/files.hpp"

namespace terminally {

/// As FileLock::try_lock, but a holder that is exiting counts as none. A thread of it that a hung file system
/// holds would keep the lock as long as that hangs: the file is then replaced by a new one, which is locked.
[[nodiscard]] FileLock try_lock_or_inherit(const std::filesystem::path& path);

}  // namespace terminally
