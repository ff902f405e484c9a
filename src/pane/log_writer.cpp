// terminally-log LOGFILE: what tmux's pipe-pane runs for each tab. Appends its standard input to the log
// until the input ends, and nothing else ends it: if it died, tmux would close the pipe without a word and
// the tab's output would be lost. What it writes: doc/pane-log.md.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "pane/backlog.hpp"
#include "pane/log_files.hpp"
#include "pane/time_index.hpp"

namespace terminally {
namespace {

constexpr std::int64_t kRetryMs = 100;
constexpr std::int64_t kSyncMs = 1000;
constexpr std::int64_t kQuietMs = 50;  // a command that ended and its prompt are followed by quiet: sync then
constexpr std::int64_t kDrainMs =
    10'000;  // how long a log that takes nothing is retried after the input ended

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// Says when dirty data is due on disk: in the first quiet moment once a second has passed since the last
/// sync, and after a second of endless output at the latest.
class SyncClock {
 public:
  void written(std::int64_t now) {
    dirty_since_ = dirty_ ? dirty_since_ : now;
    last_write_ = now;
    dirty_ = true;
  }
  void synced(std::int64_t now) {
    dirty_ = false;
    last_sync_ = now;
  }
  [[nodiscard]] bool dirty() const { return dirty_; }
  [[nodiscard]] std::int64_t due() const {
    return std::min(dirty_since_ + kSyncMs, std::max(last_write_ + kQuietMs, last_sync_ + kSyncMs));
  }

 private:
  bool dirty_ = false;
  std::int64_t dirty_since_ = 0;
  std::int64_t last_write_ = 0;
  std::int64_t last_sync_ = -kSyncMs;
};

class LogWriter {
 public:
  LogWriter(LogFiles& files, Backlog& backlog, TimeIndex& times)
      : files_(files), backlog_(backlog), times_(times) {}

  void run() {
    flush();  // the log exists from the start, also while nothing is printed
    while (!input_ended_) {
      if (wait_for_input()) {
        read_some();
      }
      const std::int64_t now = now_ms();
      if (pending() && now >= retry_at_) {
        flush();
      }
      if (clock_.dirty() && now >= clock_.due()) {
        sync();
      }
    }
    drain();
    sync();
  }

 private:
  [[nodiscard]] bool pending() const { return backlog_.size() > 0 || backlog_.dropped() > 0 || !opened_; }

  bool wait_for_input() const {
    std::int64_t wake_at = -1;
    if (clock_.dirty()) {
      wake_at = clock_.due();
    }
    if (pending()) {
      wake_at = wake_at < 0 ? retry_at_ : std::min(wake_at, retry_at_);
    }
    const std::int64_t timeout = wake_at < 0 ? -1 : std::max<std::int64_t>(wake_at - now_ms(), 0);
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, static_cast<int>(timeout)) > 0;
  }

  void read_some() {
    const ssize_t count = ::read(STDIN_FILENO, backlog_.room(), Backlog::kReadBytes);
    if (count > 0) {
      backlog_.added(static_cast<std::size_t>(count));
    } else {
      input_ended_ = count == 0 || (errno != EINTR && errno != EAGAIN);
    }
  }

  bool flush() {
    retry_at_ = now_ms() + kRetryMs;
    opened_ = files_.open();
    if (!opened_) {
      return false;
    }
    if (const std::size_t count = backlog_.size(); count > 0) {
      const std::uint64_t offset = files_.offset();
      const std::size_t appended = files_.append(backlog_.data(), count);
      backlog_.remove(appended);
      if (appended > 0) {
        const std::int64_t now = now_ms();
        clock_.written(now);
        times_.note(offset, now);
      }
      if (appended < count) {
        return false;
      }
    }
    if (backlog_.dropped() > 0) {
      if (!files_.record_gap(backlog_.dropped())) {
        return false;
      }
      backlog_.gap_recorded();
    }
    retry_at_ = 0;
    return true;
  }

  void drain() {
    const std::int64_t give_up_at = now_ms() + kDrainMs;
    while (pending() && !flush() && now_ms() < give_up_at) {
      ::poll(nullptr, 0, kRetryMs);
    }
  }

  void sync() {
    files_.sync();
    clock_.synced(now_ms());
  }

  LogFiles& files_;
  Backlog& backlog_;
  TimeIndex& times_;
  SyncClock clock_;
  std::int64_t retry_at_ = 0;
  bool opened_ = false;
  bool input_ended_ = false;
};

// SIGXFSZ: a file size limit is a full disk like any other.
void ignore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ}) {
    ::signal(signal, SIG_IGN);
  }
}

int run_writer(int argc, char** argv) {
  static LogFiles files;
  static Backlog backlog;
  static TimeIndex times;
  constexpr std::string_view kUsage = "usage: terminally-log LOGFILE\nAppends standard input to LOGFILE.\n";
  if (argc != 2 || !files.set_path(argv[1]) || !times.set_path(argv[1])) {
    static_cast<void>(!::write(STDERR_FILENO, kUsage.data(), kUsage.size()));
    return 2;
  }
  ignore_signals();
  ::umask(077);
  LogWriter(files, backlog, times).run();
  return 0;
}

}  // namespace
}  // namespace terminally

int main(int argc, char** argv) {
  return terminally::run_writer(argc, argv);
}
