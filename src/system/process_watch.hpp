#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

namespace terminally {

/// Tells when a process that need not be our child has ended, through a pidfd: nothing is polled, and the
/// number cannot be mistaken for a later process's. While it watches, the event loop has something to wait
/// for. Single-threaded, on the executor it was made with.
class ProcessWatch {
 public:
  explicit ProcessWatch(boost::asio::any_io_executor executor);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Calls `ended` once, from the event loop; soon, if the process is gone already. Replaces the watch there
  /// was. False: the system does not let us watch it (no descriptor left, no pidfds), and it never tells.
  bool start(pid_t pid, std::function<void()> ended);
  /// From here on it does not tell.
  void stop();

 private:
  struct State;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
