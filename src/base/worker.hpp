#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

namespace terminally {

/// One thread beside the event loop, for work that takes longer than the event loop may be held. It is
/// started by the first work, and joined with this object: work under way is finished.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs `work` on the thread and returns when it is done. It must own all it uses: a caller that is
  /// cancelled leaves it behind (and throws operation_aborted). What `work` throws is passed on.
  [[nodiscard]] boost::asio::awaitable<void> run(std::function<void()> work);

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace terminally
