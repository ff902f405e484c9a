#include "system/inherited_lock.hpp"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "base/timeout.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

/// A child that holds a lock. With `exits` its main thread has ended and another holds on, as where a hung
/// file system holds the thread of a process that is killed.
class LockKeeper {
 public:
  LockKeeper(const std::filesystem::path& path, bool exits) : pid_(::fork()) {
    if (pid_ == 0) {
      const FileLock lock = FileLock::try_lock(path);
      std::thread([] { ::pause(); }).detach();
      if (exits) {
        ::syscall(SYS_exit, 0);
      }
      ::pause();
    }
    const auto until = Clock::now() + Milliseconds(5'000);
    while ((lock_holder(path) != pid_ || is_exiting(pid_) != exits) && Clock::now() < until) {
      std::this_thread::yield();
    }
  }
  LockKeeper(const LockKeeper&) = delete;
  LockKeeper& operator=(const LockKeeper&) = delete;
  ~LockKeeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE("a lock is inherited from a process that is exiting, and from no other") {
  const test::TempDir directory;
  const std::filesystem::path path = directory.path() / "lock";
  SUBCASE("nobody has it") {
    CHECK(try_lock_or_inherit(path));
  }
  SUBCASE("one that lives has it") {
    const LockKeeper holder(path, false);
    CHECK_FALSE(try_lock_or_inherit(path));
    CHECK(lock_holder(path) == holder.pid());
    CHECK_FALSE(is_exiting(holder.pid()));
  }
  SUBCASE("one that is stopped has it, which may go on") {
    const LockKeeper holder(path, false);
    ::kill(holder.pid(), SIGSTOP);
    CHECK_FALSE(try_lock_or_inherit(path));
  }
  SUBCASE("one that is exiting has it") {
    const LockKeeper holder(path, true);
    REQUIRE_FALSE(FileLock::try_lock(path));
    const FileLock lock = try_lock_or_inherit(path);
    REQUIRE(lock);
    CHECK_FALSE(lock.is_unlinked());
    CHECK(lock_holder(path) == ::getpid());
    CHECK_FALSE(try_lock_or_inherit(path));  // ours: it lives
    CHECK_FALSE(std::filesystem::exists(path.string() + ".new"));
  }
  SUBCASE("no process has this pid") {
    CHECK_FALSE(is_exiting(0));
  }
}
