#include "system/process_table.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/timeout.hpp"
#include "system/proc.hpp"
#include "system/terminal.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

using Found = std::shared_ptr<const ProcessTable::Processes>;

const MarkedProcess* find(const Found& processes, pid_t pid) {
  const auto place =
      std::ranges::find(*processes, pid, [](const MarkedProcess& process) { return process.info.pid; });
  return place == processes->end() ? nullptr : &*place;
}

asio::awaitable<void> look_once(ProcessTable& table, Found& found) {
  found = co_await table.look();
}

void look_at_the_same_time(ProcessTable& table, std::vector<Found>& all) {
  asio::io_context context;
  for (Found& found : all) {
    asio::co_spawn(context, look_once(table, found), asio::detached);
  }
  context.run();
}

Found look(ProcessTable& table) {
  std::vector<Found> one(1);
  look_at_the_same_time(table, one);
  return one.front();
}

/// A child of this program that sleeps, reads from a pipe or spins.
class Child {
 public:
  enum class Does { pause, read_pipe, spin };
  explicit Child(Does what) {
    if (::pipe(pipe_) != 0) {
      std::abort();
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      char byte = 0;
      while (what == Does::spin || (what == Does::read_pipe && ::read(pipe_[0], &byte, 1) == 1)) {
      }
      ::pause();
      ::_exit(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// In the kernel, and no more on its way to sleep.
  void until_asleep() const {
    const auto patience = Clock::now() + std::chrono::seconds(20);
    while ((process_info(pid_).value().state != 'S' || process_wchan(pid_) == "0") &&
           Clock::now() < patience) {
      ::usleep(1'000);
    }
  }

 private:
  int pipe_[2] = {-1, -1};
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("those who ask for all processes at the same time share one look") {
  ProcessTable table;
  std::vector<Found> all(50);
  look_at_the_same_time(table, all);
  CHECK(table.looks() <= 2);
  for (const Found& found : all) {
    CHECK(find(found, ::getpid()) != nullptr);
  }
}

TEST_CASE("a look shows what there was when it was asked for") {
  ProcessTable table;
  CHECK(find(look(table), ::getpid()) != nullptr);
  const ProcessTag tag = command_tag(tab_tag("instance.0123", 1, 3), "this");
  pid_t gone = 0;
  {
    const Child child(Child::Does::pause);
    gone = child.pid();
    const Found now = look(table);
    const MarkedProcess* plain = find(now, child.pid());
    REQUIRE(plain != nullptr);
    CHECK_FALSE(plain->tag);
  }
  CHECK(find(look(table), gone) == nullptr);
  const Child child(Child::Does::pause);
  CHECK(tag_process(child.pid(), tag));
  for (int again = 0; again < 2; ++again) {
    const Found now = look(table);
    const MarkedProcess* marked = find(now, child.pid());
    REQUIRE(marked != nullptr);
    CHECK(marked->tag == tag);
  }
}

TEST_CASE("A7: a process that runs goes on by itself, and a shell that runs or reads may start more") {
  const Child spins(Child::Does::spin);
  const Child reads(Child::Does::read_pipe);
  const Child sleeps(Child::Does::pause);
  reads.until_asleep();
  sleeps.until_asleep();
  CHECK(goes_on_by_itself(spins.pid()));
  CHECK_FALSE(goes_on_by_itself(reads.pid()));
  CHECK_FALSE(goes_on_by_itself(sleeps.pid()));
  CHECK(starts_processes(spins.pid()));
  CHECK(starts_processes(reads.pid()));
  CHECK_FALSE(starts_processes(sleeps.pid()));
}

}  // namespace terminally
