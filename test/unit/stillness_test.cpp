#include "system/stillness.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <vector>

#include "base/descriptors.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

/// A "pane" whose shell reads commands from a pipe.
class Pane {
 public:
  Pane() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const UniqueFd input(ends[0]);
    input_.reset(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      if (::fork() == 0) {
        ::dup2(input.get(), STDIN_FILENO);
        ::execl("/bin/sh", "sh", nullptr);
      }
      ::pause();
      ::_exit(0);
    }
  }
  ~Pane() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Pane(const Pane&) = delete;
  Pane& operator=(const Pane&) = delete;

  void type(std::string_view line) const { REQUIRE(::write(input_.get(), line.data(), line.size()) > 0); }
  [[nodiscard]] int pid() const { return pid_; }
  /// Its shell's children.
  [[nodiscard]] std::size_t jobs() const {
    const auto shell = first_child(pid_);
    return shell ? child_processes(*shell).size() : 0;
  }

 private:
  UniqueFd input_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("D13: what stands still is told from what has run, or has started something, since") {
  const Pane pane;
  Stillness stillness;
  CHECK_FALSE(stillness.lasts(pane.pid()));  // nothing was known yet
  REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()); }));
  CHECK(stillness.lasts(pane.pid()));
  pane.type("sleep 1000 &\n");
  REQUIRE(test::eventually([&] { return pane.jobs() == 1; }));
  CHECK_FALSE(stillness.lasts(pane.pid()));
  REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()); }));
  const int job = child_processes(first_child(pane.pid()).value_or(0)).at(0);
  ::kill(job, SIGSTOP);  // below the shell, which does not move
  ::kill(job, SIGCONT);
  CHECK(test::eventually([&] { return !stillness.lasts(pane.pid()); }));
  REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()); }));
  ::kill(first_child(pane.pid()).value_or(0), SIGKILL);
  REQUIRE(test::eventually([&] { return !first_child(pane.pid()); }));
  CHECK_FALSE(stillness.lasts(pane.pid()));
  CHECK_FALSE(stillness.lasts(pane.pid()));  // there is no shell
}

TEST_CASE("D13: who has something to do is told from who waits, whether he has had a turn or not") {
  const Pane pane;
  Stillness stillness;
  REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()) && !stillness.one_is_ready(); }));
  pane.type("while :; do :; done &\n");
  REQUIRE(test::eventually([&] { return pane.jobs() == 1; }));
  CHECK(test::eventually([&] { return !stillness.lasts(pane.pid()) && stillness.one_is_ready(); }));
}

TEST_CASE("D13: what is kept open for it leaves most descriptors to others") {
  const auto open_ones = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  // Others of this process may come and go meanwhile: threads of a sanitizer, of a test before.
  const auto kept_ones = [] {
    return std::ranges::count_if(std::filesystem::directory_iterator("/proc/self/fd"), [](const auto& entry) {
      std::error_code error;
      return std::filesystem::read_symlink(entry.path(), error).string().ends_with("/schedstat");
    });
  };
  const Pane pane;
  std::vector<UniqueFd> others(20);  // the lowest number that is free is theirs
  for (UniqueFd& other : others) {
    other = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(2 * open_ones());
  const auto before = kept_ones();
  {
    Stillness stillness;
    ::setrlimit(RLIMIT_NOFILE, &low);
    const bool stands = test::eventually([&] { return stillness.lasts(pane.pid()); });
    const auto kept = kept_ones() - before;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    CHECK(stands);
    CHECK(kept == 0);
  }
  {
    Stillness stillness;
    REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()); }));
    CHECK(kept_ones() - before == 1);
  }
  CHECK(kept_ones() == before);
}

}  // namespace terminally
