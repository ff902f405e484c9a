#include "base/keyed_mutex.hpp"

#include <algorithm>
#include <boost/asio.hpp>

namespace terminally {

namespace asio = boost::asio;

/// A timer that never fires: cancelled to wake its waiter. `granted` says the lock was handed over, so that a
/// waiter that is cancelled in the same turn gives it back.
struct AsyncMutex::Waiter {
  explicit Waiter(const asio::any_io_executor& executor)
      : wake(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer wake;
  bool granted = false;
};

asio::awaitable<AsyncMutex::Guard> AsyncMutex::lock() {
  if (!locked_) {
    locked_ = true;
    co_return Guard(shared_from_this());
  }
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  waiters_.push_back(waiter);
  boost::system::error_code ignored;
  const auto self = shared_from_this();
  co_await waiter->wake.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (!waiter->granted) {
    std::erase(waiters_, waiter);
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  Guard guard(self);
  const auto cancelled = co_await asio::this_coro::cancellation_state;
  if (cancelled.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  co_return guard;
}

void AsyncMutex::unlock() {
  if (waiters_.empty()) {
    locked_ = false;
    return;
  }
  const auto next = waiters_.front();
  waiters_.pop_front();
  next->granted = true;
  next->wake.cancel();
}

}  // namespace terminally
