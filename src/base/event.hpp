#pragma once

#include <boost/asio/awaitable.hpp>
#include <list>
#include <memory>

#include "base/timeout.hpp"

namespace terminally {

/// Something that coroutines wait for. An event, once set, stays set until it is cleared. Single-threaded.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void set();
  void clear() { set_ = false; }
  /// Wakes those that wait now, and sets nothing: for a state that changes again and again. A coroutine that
  /// looks at the state and then waits, with no other await in between, misses no change.
  void notify();
  [[nodiscard]] bool is_set() const { return set_; }

  /// Returns when the event is set; at once if it is set already. Throws operation_aborted when the waiter is
  /// cancelled. The event must live until then.
  [[nodiscard]] boost::asio::awaitable<void> wait();
  /// As `wait`, but until `when` at most. Says whether the event happened. Costs a third of `run_until`.
  [[nodiscard]] boost::asio::awaitable<bool> wait_by(Clock::time_point when);

 private:
  struct Waiter;
  bool set_ = false;
  std::list<std::weak_ptr<Waiter>> waiters_;
};

}  // namespace terminally
