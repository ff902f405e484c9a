#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

namespace terminally {

/// To be called now and then by what may run on a Worker and takes long: throws Abandoned when nobody waits
/// for it any more. Does nothing on other threads.
void throw_if_abandoned();
struct Abandoned : std::exception {};

/// One thread beside the event loop, for work that takes longer than the event loop may be held. It is
/// started by the first work, and joined with this object: work under way is abandoned.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs `work` on the thread and returns when it is done. What waits is begun in the order of `cost`, any
  /// measure of how long it will take: what is short does not wait for all that is long. It must own all it
  /// uses: a caller that is cancelled leaves it behind, abandoned (and throws operation_aborted); what was
  /// not begun is dropped. What `work` throws is passed on.
  [[nodiscard]] boost::asio::awaitable<void> run(std::uint64_t cost, std::function<void()> work);

 private:
  class Queue;
  std::shared_ptr<Queue> queue_;
};

}  // namespace terminally
