// Finds out from /proc what a process sleeps in, and reads the mode of a terminal.
// Writes text to a tab's terminal without waiting.

#include "system/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <vector>

#include "base/conventions.hpp"
#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "system/proc.hpp"

namespace terminally {

namespace {

namespace fs = std::filesystem;

/// /dev/tty is each process's own terminal; in a tab's foreground, the tab's.
const dev_t kOwnTerminal = makedev(5, 0);
constexpr std::size_t kMostThreads = 64;
constexpr std::size_t kMostFds = 1'024;

/// The file system of the terminals that this process can open: each devpts, as that of a container, has a
/// terminal 0 of its own.
dev_t own_devpts() {
  struct stat info{};
  static const dev_t device = ::stat("/dev/pts", &info) == 0 ? info.st_dev : 0;
  return device;
}

/// The names in a directory of /proc that are numbers, at most `most`.
std::vector<int> numbers_in(const std::string& directory, std::size_t most) {
  std::vector<int> numbers;
  std::error_code error;
  for (auto entry = list_directory(directory, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    int number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc() &&
        numbers.size() < most) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

/// One process and the terminal in question.
class Process {
 public:
  Process(int pid, dev_t terminal)
      : pid_(pid), terminal_(terminal), proc_("/proc/" + std::to_string(pid) + "/") {}

  [[nodiscard]] TtyWait wait_of_thread(int thread, SleepSource source) const;
  [[nodiscard]] bool was_stopped_at_terminal() const;

 private:
  struct Call {
    long number = -1;
    std::array<std::uint64_t, 6> arguments{};
  };
  /// nullopt: it may not be seen. The number -1: the thread runs.
  [[nodiscard]] std::optional<Call> call_of(int thread) const;

  enum class Found { nothing, among, only };
  [[nodiscard]] static TtyWait wait(Found found) {
    return found == Found::only ? TtyWait::only : found == Found::among ? TtyWait::among : TtyWait::no;
  }

  [[nodiscard]] bool is_terminal(int fd) const;
  [[nodiscard]] TtyWait wait_in_call(const Call& call) const;
  [[nodiscard]] TtyWait wait_in_poll(std::uint64_t fds, std::uint64_t count) const;
  [[nodiscard]] TtyWait wait_in_select(const Call& call) const;
  [[nodiscard]] TtyWait wait_in_epoll(int fd) const;
  [[nodiscard]] TtyWait wait_by_wchan(const std::string& wchan) const;
  [[nodiscard]] bool copy(std::uint64_t address, void* to, std::size_t bytes) const;
  [[nodiscard]] std::string fd_path(int fd) const { return proc_ + "fd/" + std::to_string(fd); }

  int pid_;
  dev_t terminal_;
  std::string proc_;
};

bool Process::is_terminal(int fd) const {
  struct stat info{};
  return ::stat(fd_path(fd).c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
         ((info.st_rdev == terminal_ && info.st_dev == own_devpts()) || info.st_rdev == kOwnTerminal);
}

bool Process::copy(std::uint64_t address, void* to, std::size_t bytes) const {
  const iovec local{to, bytes};
  const iovec remote{std::bit_cast<void*>(address), bytes};
  return ::process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

TtyWait Process::wait_in_poll(std::uint64_t fds, std::uint64_t count) const {
  std::vector<pollfd> set(static_cast<std::size_t>(std::min<std::uint64_t>(count, kMostFds)));
  if (set.empty() || !copy(fds, set.data(), set.size() * sizeof(pollfd))) {
    return set.empty() ? TtyWait::no : TtyWait::unknown;
  }
  bool terminal = false;
  bool other = false;
  for (const pollfd& entry : set) {
    const bool reads = (entry.events & (POLLIN | POLLRDNORM)) != 0;
    const bool ours = entry.fd >= 0 && reads && is_terminal(entry.fd);
    terminal = terminal || ours;
    other = other || (entry.fd >= 0 && !ours);
  }
  return wait(!terminal ? Found::nothing : other ? Found::among : Found::only);
}

TtyWait Process::wait_in_select(const Call& call) const {
  const std::size_t fds =
      static_cast<std::size_t>(std::min<std::uint64_t>(call.arguments[0], kMostFds));  // FD_SETSIZE
  constexpr std::size_t kBits = 64;
  const std::size_t words = (fds + kBits - 1) / kBits;
  bool terminal = false;
  bool other = false;
  for (std::size_t set = 1; set <= 3; ++set) {  // for reading, writing, exceptions
    std::vector<std::uint64_t> bits(words);
    if (call.arguments[set] == 0 || words == 0) {
      continue;
    }
    if (!copy(call.arguments[set], bits.data(), words * sizeof(std::uint64_t))) {
      return TtyWait::unknown;
    }
    for (std::size_t fd = 0; fd < fds; ++fd) {
      if ((bits[fd / kBits] >> (fd % kBits) & 1U) != 0) {
        const bool ours = is_terminal(static_cast<int>(fd));
        terminal = terminal || (set == 1 && ours);
        other = other || !ours;
      }
    }
  }
  return wait(!terminal ? Found::nothing : other ? Found::among : Found::only);
}

/// The fdinfo of an epoll descriptor lists what it watches: "tfd: 0 events: 19 data: …".
TtyWait Process::wait_in_epoll(int fd) const {
  const auto text = read_file(proc_ + "fdinfo/" + std::to_string(fd));
  if (!text) {
    return TtyWait::unknown;
  }
  bool terminal = false;
  bool other = false;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    int target = -1;
    std::uint32_t events = 0;
    if (words >> key >> target && key == "tfd:" && words >> key >> std::hex >> events) {
      const bool ours = (events & EPOLLIN) != 0 && is_terminal(target);
      terminal = terminal || ours;
      other = other || !ours;
    }
  }
  return wait(!terminal ? Found::nothing : other ? Found::among : Found::only);
}

TtyWait Process::wait_in_call(const Call& call) const {
  const auto is = [&call](std::initializer_list<long> numbers) {
    return std::find(numbers.begin(), numbers.end(), call.number) != numbers.end();
  };
  const auto fd = [&call] { return static_cast<int>(call.arguments[0]); };
  if (is({SYS_read, SYS_readv})) {
    return is_terminal(fd()) ? TtyWait::only : TtyWait::no;
  }
#ifdef SYS_poll
  if (is({SYS_poll})) {
    return wait_in_poll(call.arguments[0], call.arguments[1]);
  }
  if (is({SYS_select})) {
    return wait_in_select(call);
  }
  if (is({SYS_epoll_wait})) {
    return wait_in_epoll(fd());
  }
#endif
  if (is({SYS_ppoll})) {
    return wait_in_poll(call.arguments[0], call.arguments[1]);
  }
  if (is({SYS_pselect6})) {
    return wait_in_select(call);
  }
  return is({SYS_epoll_pwait, SYS_epoll_pwait2}) ? wait_in_epoll(fd()) : TtyWait::no;
}

/// A read of a terminal sleeps in wait_woken, and so does a read of a socket or of inotify. So the sleep
/// counts as a read of the terminal only where the process has no such other file, or has opened /dev/tty to
/// ask a person.
TtyWait Process::wait_by_wchan(const std::string& wchan) const {
  if (wchan.empty() || wchan == "0") {
    return TtyWait::unknown;  // another user's process, such as a password prompt of sudo
  }
  const bool reads =
      wchan == "wait_woken" || wchan.starts_with("n_tty_read") || wchan.starts_with("tty_read");
  const bool polls = wchan.starts_with("poll_schedule_timeout") || wchan.starts_with("do_poll") ||
                     wchan.starts_with("do_sys_poll") || wchan.starts_with("do_select");
  const bool epolls = wchan.starts_with("do_epoll_wait") || wchan.starts_with("ep_poll");
  TtyWait best = TtyWait::no;
  bool terminal = false;
  bool asks = false;
  bool other = false;
  for (const int fd : reads || polls || epolls ? numbers_in(proc_ + "fd", kMostFds) : std::vector<int>()) {
    struct stat info{};
    std::error_code error;
    const std::string target = fs::read_symlink(fd_path(fd), error).string();
    terminal = terminal || is_terminal(fd);
    asks = asks ||
           (::stat(fd_path(fd).c_str(), &info) == 0 && S_ISCHR(info.st_mode) && info.st_rdev == kOwnTerminal);
    other = other || target.starts_with("socket:") || target == "anon_inode:inotify";
    if (epolls && target == "anon_inode:[eventpoll]") {
      best = std::max(best, wait_in_epoll(fd));
    }
  }
  if (epolls) {
    return best;
  }
  if (!terminal) {
    return TtyWait::no;
  }
  return polls || (other && !asks) ? TtyWait::unknown : TtyWait::only;
}

TtyWait Process::wait_of_thread(int thread, SleepSource source) const {
  const auto info = process_info(thread);
  if (!info || info->state != 'S') {
    return TtyWait::no;
  }
  if (const auto call = source == SleepSource::syscall ? call_of(thread) : std::nullopt) {
    return wait_in_call(*call);
  }
  return wait_by_wchan(read_file(proc_ + "task/" + std::to_string(thread) + "/wchan").value_or(""));
}

std::optional<Process::Call> Process::call_of(int thread) const {
  const auto text = read_file(proc_ + "task/" + std::to_string(thread) + "/syscall");
  if (!text) {
    return std::nullopt;
  }
  Call call;
  std::istringstream words(*text);
  if (!(words >> call.number)) {
    return Call();  // "running"
  }
  for (std::uint64_t& argument : call.arguments) {
    words >> std::hex >> argument;
  }
  return call;
}

/// SIGTTIN comes of a read, SIGTTOU of an ioctl that sets modes; the call is begun again afterwards.
bool Process::was_stopped_at_terminal() const {
  const auto call = call_of(pid_);
  return call && (call->number == SYS_read || call->number == SYS_readv || call->number == SYS_ioctl) &&
         is_terminal(static_cast<int>(call->arguments[0]));
}

}  // namespace

std::optional<TerminalMode> terminal_mode(const std::string& tty) {
  const UniqueFd fd(open_or_use_spare(tty.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  termios modes{};
  if (!fd || ::tcgetattr(fd.get(), &modes) != 0) {
    return std::nullopt;
  }
  return TerminalMode{(modes.c_lflag & ICANON) != 0, (modes.c_lflag & ECHO) != 0,
                      (modes.c_iflag & ICRNL) != 0, (modes.c_iflag & IGNCR) != 0,
                      (modes.c_lflag & ISIG) != 0};
}

int unread_input(const std::string& tty) {
  const UniqueFd fd(open_or_use_spare(tty.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  int bytes = 0;
  return fd && ::ioctl(fd.get(), FIONREAD, &bytes) == 0 ? bytes : 0;
}

dev_t terminal_device(const std::string& tty) {
  struct stat info{};
  return ::stat(tty.c_str(), &info) == 0 ? info.st_rdev : 0;
}

TtyWait tty_wait(int pid, dev_t terminal, SleepSource source) {
  const Process process(pid, terminal);
  TtyWait best = TtyWait::no;
  for (const int thread : numbers_in("/proc/" + std::to_string(pid) + "/task", kMostThreads)) {
    best = std::max(best, process.wait_of_thread(thread, source));
  }
  return best;
}

namespace {

/// Whether one of its files is a terminal of this number, in the devpts of this process (`ours`) or in
/// another.
bool has_numbered(int pid, dev_t terminal, bool ours) {
  struct stat info{};
  const std::string files = "/proc/" + std::to_string(pid) + "/fd/";
  return std::ranges::any_of(numbers_in(files, kMostFds), [&](int fd) {
    return ::stat((files + std::to_string(fd)).c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
           info.st_rdev == terminal && (info.st_dev == own_devpts()) == ours;
  });
}

}  // namespace

bool has_open(int pid, dev_t terminal) {
  return has_numbered(pid, terminal, true);
}

bool has_namesake_open(int pid, dev_t terminal) {
  return has_numbered(pid, terminal, false);
}

bool was_stopped_at_terminal(int pid, dev_t terminal) {
  return Process(pid, terminal).was_stopped_at_terminal();
}

bool goes_on_by_itself(int pid) {
  const auto info = process_info(pid);
  if (!info || info->state != 'S') {
    return info && (info->state == 'R' || info->state == 'D');
  }
  // A process on its way to sleep may wait for a processor: it counts as asleep and has the wchan "0". So has
  // a process that we may not read.
  const std::string wchan = process_wchan(pid);
  return wchan.find("nanosleep") != std::string::npos || (wchan == "0" && !process_cwd(pid).empty());
}

bool starts_processes(int pid) {
  // One file, because the process could go on between the reads of two.
  const auto call = read_file("/proc/" + std::to_string(pid) + "/syscall");
  if (!call) {
    const auto info = process_info(pid);
    return info && (info->state != 'S' || process_wchan(pid).find("pipe_read") != std::string::npos);
  }
  long number = -1;
  std::from_chars(call->data(), call->data() + call->size(), number);
  constexpr std::array kWaits = {
#ifdef SYS_poll
      long{SYS_poll},          long{SYS_select},         long{SYS_pause},
      long{SYS_epoll_wait},
#endif
      long{SYS_ppoll},         long{SYS_pselect6},       long{SYS_epoll_pwait},
      long{SYS_epoll_pwait2},  long{SYS_wait4},          long{SYS_waitid},
      long{SYS_futex},         long{SYS_nanosleep},      long{SYS_clock_nanosleep},
      long{SYS_rt_sigsuspend}, long{SYS_rt_sigtimedwait}};
  return std::ranges::find(kWaits, number) == kWaits.end();
}

bool has_line_editor(int pid) {
  std::error_code error;
  const auto maps = read_file("/proc/" + std::to_string(pid) + "/maps");
  return maps &&
         (maps->find("/libreadline.") != std::string::npos || maps->find("/readline.") != std::string::npos ||
          maps->find("/libedit.") != std::string::npos);
}

void print_in_terminal(const std::string& tty, std::string_view text) noexcept {
  const UniqueFd fd(::open(tty.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (fd) {
    static_cast<void>(!::write(fd.get(), text.data(), text.size()));
  }
}

void leave_full_screen(const std::string& tty) {
  print_in_terminal(tty, std::string(kLeaveAlternateScreen) + "\033[?25h\033[0m");
}

}  // namespace terminally
