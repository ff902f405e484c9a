#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.hpp"

namespace terminally::test {

/// Another process, which holds what `begin` returns until it is killed.
class OtherProcess {
 public:
  template <typename Begin>
  explicit OtherProcess(const Begin& begin) {
    Pipe told = make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto held = begin();
      static_cast<void>(::write(told.write.get(), "y", 1));
      ::pause();
      ::_exit(0);
    }
    told.write.reset();  // so that the end of a process that could not begin is seen
    char begun = 0;
    CHECK(::read(told.read.get(), &begun, 1) == 1);
  }
  ~OtherProcess() { kill(); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace terminally::test
