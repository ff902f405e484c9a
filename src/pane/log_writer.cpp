// terminally-log LOGFILE [SEGMENT QUOTA MIN_FREE [DRAIN_MS]]: what tmux's pipe-pane runs for each tab.
// Appends its standard input to the log until the input ends, and nothing else ends it: if it died, tmux
// would close the pipe without a word and the tab's output would be lost. What it writes: doc/pane-log.md.
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string_view>

#include "pane/backlog.hpp"
#include "pane/log_files.hpp"
#include "pane/sanitizer_options.hpp"
#include "pane/time_index.hpp"

namespace terminally {
namespace {

constexpr std::int64_t kRetryMs = 100;
constexpr std::int64_t kSyncMs = 1000;
constexpr std::int64_t kQuietMs = 50;     // sync once it is quiet, as after a command and its prompt
constexpr std::int64_t kEndQuietMs = 20;  // the same where a command's end was written
constexpr std::int64_t kEndSyncMs = 100;  // the same in endless output
constexpr int kReadTries = 50;            // after so many failed reads the input counts as ended
constexpr std::string_view kEndOfCommand = "mcp=END:";
constexpr std::uint64_t kDrainMs =
    10'000;  // after the input ended: how long to retry a log that takes nothing

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// Sees the record of a command's end pass by, wherever the stream is split.
class EndDetector {
 public:
  [[nodiscard]] bool passes(std::string_view bytes) {
    const std::string_view head = bytes.substr(0, kBorder);
    head.copy(border_.data() + border_bytes_, head.size());
    const std::string_view border(border_.data(), border_bytes_ + head.size());
    const bool found =
        border.find(kEndOfCommand) != std::string_view::npos ||
        ::memmem(bytes.data(), bytes.size(), kEndOfCommand.data(), kEndOfCommand.size()) != nullptr;
    const std::string_view last = bytes.size() >= kBorder ? bytes : border;
    const std::string_view kept = last.substr(last.size() - std::min(last.size(), kBorder));
    ::memmove(border_.data(), kept.data(), kept.size());
    border_bytes_ = kept.size();
    return found;
  }

 private:
  static constexpr std::size_t kBorder = kEndOfCommand.size() - 1;
  std::array<char, 2 * kBorder> border_{};
  std::size_t border_bytes_ = 0;
};

/// Says when dirty data is due on disk: in the first quiet moment once a second has passed since the last
/// sync, and after a second of endless output at the latest; sooner when a command has ended.
class SyncClock {
 public:
  void written(std::int64_t now) {
    dirty_since_ = dirty_ ? dirty_since_ : now;
    last_write_ = now;
    dirty_ = true;
  }
  void command_ended(std::int64_t now) {
    ended_at_ = ended_ ? ended_at_ : now;
    ended_ = true;
  }
  void synced(std::int64_t now) {
    dirty_ = false;
    ended_ = false;
    last_sync_ = now;
  }
  [[nodiscard]] bool dirty() const { return dirty_; }
  [[nodiscard]] std::int64_t due() const {
    const std::int64_t due =
        std::min(dirty_since_ + kSyncMs, std::max(last_write_ + kQuietMs, last_sync_ + kSyncMs));
    return ended_ ? std::min({due, last_write_ + kEndQuietMs, ended_at_ + kEndSyncMs}) : due;
  }

 private:
  bool dirty_ = false;
  bool ended_ = false;
  std::int64_t ended_at_ = 0;
  std::int64_t dirty_since_ = 0;
  std::int64_t last_write_ = 0;
  std::int64_t last_sync_ = -kSyncMs;
};

class LogWriter {
 public:
  LogWriter(LogFiles& files, Backlog& backlog, TimeIndex& times, std::uint64_t drain_ms)
      : files_(files), backlog_(backlog), times_(times), drain_ms_(static_cast<std::int64_t>(drain_ms)) {}

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
      if (end_detector_.passes({backlog_.room(), static_cast<std::size_t>(count)})) {
        clock_.command_ended(now_ms());
      }
      backlog_.added(static_cast<std::size_t>(count));
      read_failures_ = 0;
    } else if (count == 0) {
      input_ended_ = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      input_ended_ = ++read_failures_ == kReadTries;
      ::poll(nullptr, 0, kRetryMs);
    }
  }

  /// Tries to write the backlog; tells readers each time what still waits.
  bool flush() {
    retry_at_ = now_ms() + kRetryMs;
    const bool flushed = try_to_flush();
    if (flushed) {
      retry_at_ = 0;
      files_.clear_waiting();
    } else {
      files_.tell_waiting(backlog_.size(), backlog_.dropped());
    }
    return flushed;
  }

  bool try_to_flush() {
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
    return true;
  }

  void drain() {
    const std::int64_t give_up_at = now_ms() + drain_ms_;
    while (pending() && !flush() && now_ms() < give_up_at) {
      ::poll(nullptr, 0, kRetryMs);
    }
    if (const std::uint64_t lost = backlog_.size() + backlog_.dropped(); opened_ && lost > 0) {
      static_cast<void>(files_.record_gap(lost));  // its place is reserved
    }
  }

  void sync() {
    files_.sync();
    clock_.synced(now_ms());
  }

  LogFiles& files_;
  Backlog& backlog_;
  TimeIndex& times_;
  std::int64_t drain_ms_;
  SyncClock clock_;
  EndDetector end_detector_;
  int read_failures_ = 0;
  std::int64_t retry_at_ = 0;
  bool opened_ = false;
  bool input_ended_ = false;
};

// SIGXFSZ: at the limit of file sizes the failed write, not a signal, tells that the log takes nothing.
void ignore_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ}) {
    ::signal(signal, SIG_IGN);
  }
}

// Lifts the limits of file sizes and open files as far as we may: they come from the starter of tmux, and are
// as a rule not meant for us.
void lift_limits() {
  for (const auto resource : {RLIMIT_FSIZE, RLIMIT_NOFILE}) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
      limit.rlim_cur = limit.rlim_max;
      ::setrlimit(resource, &limit);
    }
  }
}

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

bool read_arguments(int argc, char** argv, LogFiles& files, std::uint64_t& drain_ms) {
  if ((argc != 2 && argc != 5 && argc != 6) || !files.set_path(argv[1])) {
    return false;
  }
  LogLimits limits;
  if (argc >= 5 && !(read_number(argv[2], limits.segment_bytes) && read_number(argv[3], limits.quota_bytes) &&
                     read_number(argv[4], limits.min_free_bytes))) {
    return false;
  }
  constexpr std::uint64_t kLongestDrainMs = 3'600'000;
  if (argc == 6 && (!read_number(argv[5], drain_ms) || drain_ms > kLongestDrainMs)) {
    return false;
  }
  files.set_limits(limits);
  return true;
}

int run_writer(int argc, char** argv) {
  static LogFiles files;
  static Backlog backlog;
  static TimeIndex times;
  constexpr std::string_view kUsage =
      "usage: terminally-log LOGFILE [SEGMENT_BYTES QUOTA_BYTES MIN_FREE_BYTES [DRAIN_MS]]\n"
      "Appends standard input to LOGFILE, which is renamed and begun anew when it is full.\n";
  std::uint64_t drain_ms = kDrainMs;
  lift_limits();
  if (!read_arguments(argc, argv, files, drain_ms) || !times.set_path(argv[1])) {
    static_cast<void>(!::write(STDERR_FILENO, kUsage.data(), kUsage.size()));
    return 2;
  }
  ignore_signals();
  ::umask(077);
  LogWriter(files, backlog, times, drain_ms).run();
  return 0;
}

}  // namespace
}  // namespace terminally

int main(int argc, char** argv) {
  return terminally::run_writer(argc, argv);
}
