// A FIFO mutex for coroutines: each waiter sleeps on a timer that the unlock cancels.
#include "base/keyed_mutex.hpp"

#include <algorithm>
#include <boost/asio.hpp>

namespace terminally {

namespace asio = boost::asio;

/// A waiter's timer is cancelled to wake the waiter. `granted`: the lock was handed over. A waiter that is
/// cancelled in the same turn then gives the lock back; one whose time is over takes it.
struct AsyncMutex::Waiter {
  Waiter(const asio::any_io_executor& executor, Clock::time_point give_up_at) : wake(executor, give_up_at) {}
  asio::steady_timer wake;
  bool granted = false;
};

asio::awaitable<AsyncMutex::Guard> AsyncMutex::lock() {
  Turn turn = co_await lock_by(Clock::time_point::max());
  co_return std::move(turn.guard);
}

asio::awaitable<AsyncMutex::Turn> AsyncMutex::lock_by(Clock::time_point give_up_at) {
  const auto self = shared_from_this();
  if (!locked_) {
    locked_ = true;
    co_return Turn{Guard(self), 0};
  }
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, give_up_at);
  waiters_.push_back(waiter);
  boost::system::error_code error;
  co_await waiter->wake.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (!waiter->granted) {
    const auto place = std::find(waiters_.begin(), waiters_.end(), waiter);
    const auto ahead = static_cast<std::size_t>(place - waiters_.begin()) + 1;
    waiters_.erase(place);
    if (!error) {
      co_return Turn{Guard(), ahead};
    }
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  Turn turn{Guard(self), 0};
  const auto cancelled = co_await asio::this_coro::cancellation_state;
  if (cancelled.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  co_return turn;
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
