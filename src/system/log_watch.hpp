#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/timeout.hpp"

namespace terminally {

/// Which events of the logs in a directory wake a watcher.
enum class LogEvents {
  begin_and_end,  ///< a log is created, or its writer closes it
  all,            ///< also each write
};

/// Wakes coroutines when files change, through one inotify instance for the process. It watches directories,
/// so a file need not exist yet and may be replaced, and a hundred tabs in one directory cost one kernel
/// watch.
///
/// No wake-up is lost if the caller watches first, then looks, then waits:
///
///     auto watch = log_watch.watch(path);
///     while (!done(path)) {
///       co_await watch.changed();
///     }
///
/// Some wake-ups are for nothing (another writer's byte, an overflow of the kernel's queue): look again after
/// each. The inotify instance is opened by the first watch, and reads only while there is a watch: an idle
/// LogWatch does not keep the event loop running. Single-threaded, on the executor it was made with.
class LogWatch {
  class State;
  struct Subscription;

 public:
  /// `pause`: how long it waits after events before it looks for more, which tell of many writes at once.
  explicit LogWatch(const boost::asio::any_io_executor& executor, Milliseconds pause = Milliseconds(0));
  /// Waiting coroutines get `operation_aborted`. Watches may outlive the LogWatch, and see no more changes.
  ~LogWatch();
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;

  /// One reader's watch of one file; ends with the object.
  class Watch {
   public:
    ~Watch();
    Watch(Watch&&) noexcept;
    Watch& operator=(Watch&&) noexcept;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Returns once the file was created, written, truncated or moved to its place since the watch was made,
    /// or since the last call returned: at once if that has happened already. One caller at a time;
    /// cancellation (terminal, partial, total) ends it with `operation_aborted`. The watch must live until it
    /// returns.
    [[nodiscard]] boost::asio::awaitable<void> changed();
    /// As `changed`, but returns at `when` at the latest. Says whether the file was changed.
    [[nodiscard]] boost::asio::awaitable<bool> changed_by(Clock::time_point when);
    /// Wakes the waiter as if the file had changed.
    void wake();

   private:
    friend class LogWatch;
    explicit Watch(std::unique_ptr<Subscription> subscription);
    std::unique_ptr<Subscription> subscription_;
  };

  /// The file's directory must exist. Throws Error(io) when it does not, or when the system has no more
  /// watches.
  [[nodiscard]] Watch watch(const std::filesystem::path& path);

  /// Watches all files of a directory whose names end in ".log": calls `told` for each event, on the
  /// executor, until the watch ends. `told` must not end the watch itself. Throws as `watch` does.
  [[nodiscard]] Watch watch_logs(const std::filesystem::path& directory, LogEvents events,
                                 std::function<void()> told);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace terminally
