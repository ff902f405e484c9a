#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

namespace terminally {

/// Tells when a process, which need not be our child, has ended. Uses a pidfd: nothing is polled, and no
/// later process with the same pid is mistaken for this one. A watch keeps the event loop running.
/// Single-threaded, on the executor it was made with.
class ProcessWatch {
 public:
  explicit ProcessWatch(boost::asio::any_io_executor executor);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Calls `ended` once, from the event loop; soon, if the process is gone already. Replaces the watch
  /// before. False: the process cannot be watched (no descriptor left, no pidfds); `ended` is not called.
  bool start(pid_t pid, std::function<void()> ended);
  /// `ended` is not called any more.
  void stop();

 private:
  struct State;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
