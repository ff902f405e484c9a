#include "app/exit_deadline.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/timeout.hpp"

using namespace terminally;

namespace {

struct Ended {
  int status = 0;
  std::chrono::milliseconds after{0};
};

/// In a process of its own, which the guard may end.
template <class Body>
Ended in_a_child(const Body& body) {
  const auto begin = Clock::now();
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    body();
    ::_exit(7);
  }
  Ended ended;
  const auto patience = begin + std::chrono::seconds(60);
  while (::waitpid(pid, &ended.status, WNOHANG) == 0) {
    if (Clock::now() > patience) {
      ::kill(pid, SIGKILL);
    }
    ::usleep(1'000);
  }
  ended.after = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  return ended;
}

int exit_code(const Ended& ended) {
  return WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : -1;
}

}  // namespace

TEST_CASE("exit guard: whatever holds the process, it is gone with code 0, in time and not before") {
  const Ended spinning = in_a_child([] {
    ExitDeadline guard;
    guard.arm(std::chrono::milliseconds(200));
    volatile bool forever = true;
    while (forever) {
    }
  });
  CHECK(exit_code(spinning) == 0);
  CHECK(spinning.after >= std::chrono::milliseconds(190));
  const Ended waiting = in_a_child([] {
    ExitDeadline guard;
    guard.arm(std::chrono::milliseconds(200));
    for (;;) {
      ::pause();
    }
  });
  CHECK(exit_code(waiting) == 0);
}

TEST_CASE("exit guard: only the first call counts") {
  const Ended ended = in_a_child([] {
    ExitDeadline guard;
    guard.arm(std::chrono::milliseconds(150));
    guard.arm(std::chrono::hours(1));
    ::sleep(60);
    ::sleep(60);
  });
  CHECK(exit_code(ended) == 0);
  CHECK(ended.after < std::chrono::seconds(30));
}

TEST_CASE("exit guard: nothing happens once it is gone, or was never armed") {
  const Ended disarmed = in_a_child([] {
    {
      ExitDeadline guard;
      guard.arm(std::chrono::milliseconds(20));
    }
    const timespec pause{0, 60'000'000};
    ::nanosleep(&pause, nullptr);
  });
  CHECK(exit_code(disarmed) == 7);
  CHECK(exit_code(in_a_child([] { const ExitDeadline guard; })) == 7);
}

TEST_CASE("exit guard: a hang-up arms it, whatever the process does meanwhile") {
  for (const bool socket : {false, true}) {
    const Ended ended = in_a_child([socket] {
      int ends[2] = {};
      const bool made = (socket ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : ::pipe(ends)) == 0 &&
                        ::write(ends[1], "unread", 6) == 6;
      ExitDeadline guard;
      guard.arm_at_hang_up(ends[0], std::chrono::milliseconds(100));
      ::usleep(150'000);
      if (socket) {
        ::shutdown(ends[1], SHUT_WR);  // as node ends the input of what it has started
      } else {
        ::close(ends[1]);
      }
      const auto until = Clock::now() + std::chrono::seconds(30);
      while (made && Clock::now() < until) {
      }
    });
    CHECK(exit_code(ended) == 0);
    CHECK(ended.after >= std::chrono::milliseconds(240));
    CHECK(ended.after < std::chrono::seconds(20));
  }
}

TEST_CASE("exit guard: it tells when its time began, whoever asks later") {
  ExitDeadline guard;
  const auto begin = guard.arm(std::chrono::hours(1));
  CHECK(begin <= Clock::now());
  ::usleep(2'000);
  CHECK(guard.arm(std::chrono::hours(1)) == begin);
}

TEST_CASE("exit guard: without a hang-up nothing happens, and the guard can go") {
  const Ended ended = in_a_child([] {
    int ends[2] = {};
    const bool made = ::pipe(ends) == 0;
    {
      ExitDeadline guard;
      guard.arm_at_hang_up(ends[0], std::chrono::milliseconds(1));
      ::usleep(50'000);
    }
    ::close(ends[1]);
    ::usleep(50'000);
    if (!made) {
      ::_exit(3);
    }
  });
  CHECK(exit_code(ended) == 7);
}
