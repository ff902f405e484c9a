#include "system/stillness.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <string>

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

TEST_CASE("D13: who has many threads is seen to stand still, and to have run") {
  const Pane pane;
  Stillness stillness;
  pane.type("exec python3 -c 'import threading as t; [t.Thread(target=input).start() for _ in range(3)]'\n");
  const auto threads = [&pane] {
    std::error_code gone;
    const auto tasks = "/proc/" + std::to_string(first_child(pane.pid()).value_or(0)) + "/task";
    return std::distance(std::filesystem::directory_iterator(tasks, gone), {});
  };
  REQUIRE(test::eventually([&] { return threads() > 3; }));
  REQUIRE(test::eventually([&] { return stillness.lasts(pane.pid()); }));
  pane.type("\n");  // for one of them
  CHECK(test::eventually([&] { return !stillness.lasts(pane.pid()); }));
}

}  // namespace terminally
