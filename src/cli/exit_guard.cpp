#include "cli/exit_guard.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace terminally {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

char* const* clean_up_argv = nullptr;  // the handler of a signal has nothing else to know it by

/// Calls what a signal handler may call, and nothing else.
void exit_now(int /*signal*/) {
  if (clean_up_argv != nullptr && ::fork() == 0) {
    ::setsid();
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {  // nobody waits for its end
      ::dup2(null, fd);
    }
    ::execv(kThisProgram, clean_up_argv);
  }
  ::_exit(0);
}

void set_timer(std::chrono::milliseconds time) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(time.count() / 1'000);
  timer.it_value.tv_usec = static_cast<suseconds_t>(time.count() % 1'000 * 1'000);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

ExitGuard::ExitGuard(std::vector<std::string> clean_up) : clean_up_(std::move(clean_up)) {
  for (std::string& argument : clean_up_) {
    argv_.push_back(argument.data());
  }
  argv_.push_back(nullptr);
}

ExitGuard::~ExitGuard() {
  if (armed_) {
    set_timer(std::chrono::milliseconds(0));
    clean_up_argv = nullptr;
  }
}

void ExitGuard::arm(std::chrono::milliseconds time) {
  if (std::exchange(armed_, true)) {
    return;
  }
  clean_up_argv = clean_up_.empty() ? nullptr : argv_.data();
  std::signal(SIGALRM, exit_now);
  set_timer(time);
}

}  // namespace terminally
