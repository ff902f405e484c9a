// Ends the process by a timer's signal, which works even while the event loop is stuck.
#include "app/exit_deadline.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "base/descriptors.hpp"

namespace terminally {
namespace {

// State that the signal handlers read.
std::atomic<Clock::time_point> armed_at{Clock::time_point()};  // zero: not yet
UniqueFd watched;
std::chrono::milliseconds after_hang_up{0};
std::vector<std::string> rest;
std::vector<char*> rest_argv;  ///< its pointers, and a null pointer; empty where nothing is left to anybody

/// Only what a signal handler may call. It begins when this process is gone, and with it its locks.
void leave_rest() {
  const pid_t self = ::getpid();
  if (rest_argv.empty() || ::_Fork() != 0) {
    return;
  }
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(nothing, fd);  // who waits for the end of our output must not wait for this process
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  while (::getppid() == self) {
    constexpr timespec kLook{0, 1'000'000};
    ::nanosleep(&kLook, nullptr);
  }
  ::execv("/proc/self/exe", rest_argv.data());
  ::_exit(1);
}

void exit_now(int /*signal*/) {
  leave_rest();
  ::syscall(SYS_exit_group, 0);  // _exit of a sanitizer looks at all threads first
}

void set_timer(std::chrono::milliseconds time) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(time.count() / 1'000);
  timer.it_value.tv_usec = static_cast<suseconds_t>(time.count() % 1'000 * 1'000);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

Clock::time_point arm_once(std::chrono::milliseconds time) {
  const auto now = Clock::now();
  Clock::time_point before;
  if (!armed_at.compare_exchange_strong(before, now)) {
    return before;
  }
  std::signal(SIGALRM, exit_now);
  set_timer(time);
  return now;
}

/// poll reports POLLHUP unasked. POLLRDHUP covers a socket whose other side closed one direction only.
void arm_if_hung_up(int /*signal*/) {
  const int error = errno;
  pollfd end{.fd = watched.get(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLRDHUP)) != 0) {
    arm_once(after_hang_up);
  }
  errno = error;
}

void let_it_signal(bool on) {
  const int flags = ::fcntl(watched.get(), F_GETFL);
  ::fcntl(watched.get(), F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
}

}  // namespace

ExitDeadline::~ExitDeadline() {
  let_it_signal(false);
  watched.reset();
  set_timer(std::chrono::milliseconds(0));
  armed_at = Clock::time_point();
  rest_argv.clear();
}

void ExitDeadline::leave_rest_to(std::vector<std::string> argv) {
  rest = std::move(argv);
  rest_argv.clear();
  for (std::string& word : rest) {
    rest_argv.push_back(word.data());
  }
  rest_argv.push_back(nullptr);
}

Clock::time_point ExitDeadline::arm(std::chrono::milliseconds time) {
  return arm_once(time);
}

/// Where no descriptor is left for the duplicate, only the event loop notices the hang-up.
void ExitDeadline::arm_at_hang_up(int fd, std::chrono::milliseconds time) {
  watched.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  after_hang_up = time;
  std::signal(SIGIO, arm_if_hung_up);
  ::fcntl(watched.get(), F_SETOWN, ::getpid());
  let_it_signal(true);
  arm_if_hung_up(0);
}

}  // namespace terminally
