#include "app/exit_guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace terminally {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
/// Longer than a process takes to be gone on any machine that is still at work.
constexpr int kGoneWithinMs = 10'000;

char* const* clean_up_argv = nullptr;  // the handler of a signal has nothing else to know it by

/// Calls what a signal handler may call, and nothing else. fork() is not of that kind: it takes malloc's
/// lock, which the interrupted code may hold.
void exit_now(int /*signal*/) {
  const auto ourselves = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (clean_up_argv != nullptr && ::_Fork() == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);  // in here our own signal is held back
    ::setsid();
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {  // nobody waits for its end
      ::dup2(null, fd);
    }
    if (ourselves >= 0) {  // until we are gone our locks are held, and what they guard is left alone
      pollfd gone{.fd = ourselves, .events = POLLIN, .revents = 0};
      ::poll(&gone, 1, kGoneWithinMs);
    }
    ::execv(kThisProgram, clean_up_argv);
  }
  ::syscall(SYS_exit_group, 0);  // _exit of a sanitizer looks at all threads first
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
  if (watcher_.joinable()) {
    ::eventfd_write(stop_.get(), 1);
    watcher_.join();
  }
  if (armed_at_.load() != Clock::time_point()) {
    set_timer(std::chrono::milliseconds(0));
    clean_up_argv = nullptr;
  }
}

Clock::time_point ExitGuard::arm(std::chrono::milliseconds time) {
  const auto now = Clock::now();
  Clock::time_point before;
  if (!armed_at_.compare_exchange_strong(before, now)) {
    return before;
  }
  clean_up_argv = clean_up_.empty() ? nullptr : argv_.data();
  std::signal(SIGALRM, exit_now);
  set_timer(time);
  return now;
}

/// Without a descriptor or a thread for it, the event loop's own look is what there is.
void ExitGuard::arm_at_hang_up(int fd, std::chrono::milliseconds time) {
  watched_.reset(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  stop_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!watched_ || !stop_) {
    return;
  }
  // All signals are for the other threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    watcher_ = std::thread([this, time] { watch(time); });
  } catch (const std::system_error&) {
    watched_.reset();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ExitGuard::watch(std::chrono::milliseconds time) {
  // POLLHUP is told without being asked for. A socket's other side may close one direction only.
  std::array<pollfd, 2> ends{{{.fd = watched_.get(), .events = POLLRDHUP, .revents = 0},
                              {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
  while (::poll(ends.data(), ends.size(), -1) < 0 && errno == EINTR) {
  }
  if (ends[1].revents == 0 && (ends[0].revents & (POLLHUP | POLLRDHUP)) != 0) {
    arm(time);
  }
}

}  // namespace terminally
