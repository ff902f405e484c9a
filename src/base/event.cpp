// Lets coroutines wait for an event: each waiter sleeps on a timer that the event cancels.
#include "base/event.hpp"

#include <boost/asio.hpp>

namespace terminally {

namespace asio = boost::asio;

/// A timer that is cancelled to wake its waiter.
struct Event::Waiter {
  Waiter(const asio::any_io_executor& executor, Clock::time_point when) : wake(executor, when) {}
  asio::steady_timer wake;
  bool happened = false;
};

Event::~Event() = default;

void Event::set() {
  set_ = true;
  for (const auto& weak : waiters_) {
    if (const auto waiter = weak.lock()) {
      waiter->happened = true;
      waiter->wake.cancel();
    }
  }
  waiters_.clear();
}

void Event::notify() {
  set();
  clear();
}

asio::awaitable<void> Event::wait() {
  [[maybe_unused]] const bool set = co_await wait_by(Clock::time_point::max());
}

asio::awaitable<bool> Event::wait_by(Clock::time_point when) {
  if (set_) {
    co_return true;
  }
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, when);
  std::erase_if(waiters_, [](const auto& weak) { return weak.expired(); });
  waiters_.push_back(waiter);
  boost::system::error_code error;
  co_await waiter->wake.async_wait(asio::redirect_error(asio::use_awaitable, error));
  const bool cancelled =
      error || (co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none;
  if (cancelled && !waiter->happened) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  co_return waiter->happened;
}

}  // namespace terminally
