#pragma once

#include <boost/asio/awaitable.hpp>
#include <list>
#include <memory>

namespace terminally {

/// Something that coroutines wait for and that happens once. Single-threaded.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void set();
  [[nodiscard]] bool is_set() const { return set_; }

  /// Returns when it is set; at once if it is. Throws operation_aborted when the waiter is cancelled.
  /// The event must live until then.
  [[nodiscard]] boost::asio::awaitable<void> wait();

 private:
  struct Waiter;
  bool set_ = false;
  std::list<std::weak_ptr<Waiter>> waiters_;
};

}  // namespace terminally
