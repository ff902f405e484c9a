#include "system/process_watch.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>

namespace terminally {
namespace {

pid_t sleeping_child() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  return pid;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

TEST_CASE("process watch: tells once, when the process ends") {
  boost::asio::io_context io(1);
  ProcessWatch watch(io.get_executor());
  const pid_t pid = sleeping_child();
  int told = 0;
  watch.start(pid, [&told] { ++told; });
  io.poll();
  CHECK(told == 0);
  end(pid);
  io.run();
  CHECK(told == 1);
}

TEST_CASE("process watch: one that is gone already, and one that nobody watches any more") {
  boost::asio::io_context io(1);
  const pid_t gone = sleeping_child();
  end(gone);
  int told = 0;
  {
    ProcessWatch watch(io.get_executor());
    watch.start(gone, [&told] { ++told; });
    io.run();
    CHECK(told == 1);
    const pid_t pid = sleeping_child();
    watch.start(pid, [&told] { ++told; });
    watch.stop();
    end(pid);
    io.restart();
    io.run();
    CHECK(told == 1);
    watch.start(gone, [&told] { ++told; });
  }
  io.restart();
  io.run();
  CHECK(told == 1);
}

}  // namespace terminally
