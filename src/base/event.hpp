#pragma once

#include <boost/asio/awaitable.hpp>
#include <list>
#include <memory>

#include "base/timeout.hpp"

namespace terminally {

/// Something that coroutines wait for: it happens once and stays so until it is cleared. Single-threaded.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void set();
  void clear() { set_ = false; }
  /// Wakes who waits now and nobody later: for what changes again and again. No change is missed by who
  /// looks, and then waits, with nothing awaited in between.
  void notify();
  [[nodiscard]] bool is_set() const { return set_; }

  /// Returns when it is set; at once if it is. Throws operation_aborted when the waiter is cancelled.
  /// The event must live until then.
  [[nodiscard]] boost::asio::awaitable<void> wait();
  /// The same, until the time has come at the latest. Says whether it happened. A third of what `finish_by`
  /// costs.
  [[nodiscard]] boost::asio::awaitable<bool> wait_by(Clock::time_point when);

 private:
  struct Waiter;
  bool set_ = false;
  std::list<std::weak_ptr<Waiter>> waiters_;
};

}  // namespace terminally
