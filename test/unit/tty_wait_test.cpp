// What /proc says of processes that we start on a terminal of our own, by both of its sources.
#include "system/terminal.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "system/proc.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

/// A child on a terminal of its own that does `work` for ever.
class OnTerminal {
 public:
  explicit OnTerminal(const std::function<void()>& work) {
    char name[64] = {};
    pid_ = ::forkpty(&master_, name, nullptr, nullptr);
    if (pid_ == 0) {
      work();
      ::_exit(0);
    }
    tty_ = name;
  }
  ~OnTerminal() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(master_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  [[nodiscard]] const std::string& tty() const { return tty_; }
  [[nodiscard]] TtyWait wait(SleepSource source) const {
    return tty_wait(pid_, terminal_device(tty_), source);
  }
  /// Whether that is its wait, now or within 10 s.
  [[nodiscard]] bool comes_to(TtyWait wanted, SleepSource source) const {
    return test::eventually([&] { return wait(source) == wanted; }) && wait(source) == wanted;
  }

  /// On its way there it may wait for a processor, and counts as asleep: nowhere in the kernel.
  [[nodiscard]] bool falls_asleep() const {
    const auto asleep = [this] {
      const auto info = process_info(pid_);
      return info && info->state == 'S' && process_wchan(pid_) != "0";
    };
    return test::eventually(asleep);
  }

 private:
  int master_ = -1;
  pid_t pid_ = 0;
  std::string tty_;
};

void read_from(int fd) {
  char c = 0;
  while (::read(fd, &c, 1) == 1) {
  }
}

int other_fd() {
  int pair[2] = {};
  return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 ? pair[0] : -1;
}

void poll_for(bool terminal, bool other) {
  pollfd fds[2] = {{terminal ? 0 : -1, POLLIN, 0}, {other ? other_fd() : -1, POLLIN, 0}};
  ::poll(fds, 2, -1);
}

void select_for(bool terminal, bool other) {
  const int fd = other_fd();
  fd_set set;
  FD_ZERO(&set);
  if (terminal) {
    FD_SET(0, &set);
  }
  if (other) {
    FD_SET(fd, &set);
  }
  ::select(fd + 1, &set, nullptr, nullptr, nullptr);
}

void epoll_for(bool terminal, bool other) {
  const int epoll = ::epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  if (terminal) {
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
  }
  if (other) {
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, other_fd(), &event);
  }
  ::epoll_wait(epoll, &event, 1, -1);
}

}  // namespace

TEST_CASE("A7: a read of the terminal is a wait for it, of another file it is none") {
  for (const SleepSource source : {SleepSource::syscall, SleepSource::wchan}) {
    CAPTURE(static_cast<int>(source));
    CHECK(OnTerminal([] { read_from(0); }).comes_to(TtyWait::only, source));
    const OnTerminal piped([] {
      int fds[2] = {};
      if (::pipe(fds) == 0) {
        read_from(fds[0]);
      }
    });
    const OnTerminal sleeper([] { ::sleep(600); });
    const OnTerminal busy([] {
      for (;;) {
        static_cast<void>(::getppid());
      }
    });
    REQUIRE(piped.falls_asleep());
    REQUIRE(sleeper.falls_asleep());
    for (int i = 0; i < 50; ++i) {
      CHECK(piped.wait(source) == TtyWait::no);
      CHECK(sleeper.wait(source) == TtyWait::no);
      CHECK(busy.wait(source) == TtyWait::no);
    }
  }
}

TEST_CASE("A7: a thread of a program reads the terminal") {
  const OnTerminal program([] {
    std::thread reader([] { read_from(0); });
    reader.join();
  });
  CHECK(program.comes_to(TtyWait::only, SleepSource::syscall));
}

TEST_CASE("A7: of what poll, select and epoll wait for, the terminal is told from the rest") {
  using Wait = void (*)(bool terminal, bool other);
  for (const Wait wait : {Wait(poll_for), Wait(select_for), Wait(epoll_for)}) {
    CHECK(OnTerminal([wait] { wait(true, false); }).comes_to(TtyWait::only, SleepSource::syscall));
    CHECK(OnTerminal([wait] { wait(true, true); }).comes_to(TtyWait::among, SleepSource::syscall));
    const OnTerminal without([wait] { wait(false, true); });
    for (int i = 0; i < 50; ++i) {
      CHECK(without.wait(SleepSource::syscall) == TtyWait::no);
    }
  }
}

TEST_CASE("A7: without a debugger's rights, what cannot be told apart is said to be unknown") {
  const auto comes_to = [](const std::function<void()>& work, TtyWait wanted) {
    return OnTerminal(work).comes_to(wanted, SleepSource::wchan);
  };
  CHECK(comes_to([] { poll_for(true, false); }, TtyWait::unknown));
  CHECK(comes_to([] { epoll_for(true, true); }, TtyWait::among));
  CHECK(comes_to(  // a socket sleeps as a terminal does
      [] {
        other_fd();
        read_from(0);
      },
      TtyWait::unknown));
  CHECK(comes_to(  // opened to ask a person
      [] {
        other_fd();
        read_from(::open("/dev/tty", O_RDWR));
      },
      TtyWait::only));
}

TEST_CASE("A7: the mode of a terminal") {
  const OnTerminal program([] { ::sleep(600); });
  const auto mode = terminal_mode(program.tty());
  REQUIRE(mode);
  CHECK(mode->line);
  CHECK(mode->echo);
  CHECK_FALSE(terminal_mode("/dev/pts/nothing"));
  CHECK(terminal_device("/dev/pts/nothing") == 0);
}
