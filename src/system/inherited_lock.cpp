// Takes the lock of a process that has begun to end and cannot release it.
#include "system/inherited_lock.hpp"

#include "system/proc.hpp"

namespace terminally {

/// Several may see the same holder: one at a time looks again and removes the file, so that nobody removes
/// the new file of another.
FileLock try_lock_or_inherit(const std::filesystem::path& path) {
  FileLock lock = FileLock::try_lock(path);
  if (lock || !is_exiting(lock_holder(path))) {
    return lock;
  }
  const std::filesystem::path turn_path = path.string() + ".new";  // a name of ours, whose leftovers go
  if (const FileLock turn = FileLock::try_lock(turn_path)) {
    if (is_exiting(lock_holder(path))) {
      remove_file(path);
    }
    remove_file(turn_path);
  }
  return FileLock::try_lock(path);
}

}  // namespace terminally
