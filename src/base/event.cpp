#include "base/event.hpp"

#include <boost/asio.hpp>

namespace terminally {

namespace asio = boost::asio;

/// A timer that never fires by itself: cancelled to wake its waiter.
struct Event::Waiter {
  explicit Waiter(const asio::any_io_executor& executor)
      : wake(executor, asio::steady_timer::time_point::max()) {}
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

asio::awaitable<void> Event::wait() {
  if (set_) {
    co_return;
  }
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  std::erase_if(waiters_, [](const auto& weak) { return weak.expired(); });
  waiters_.push_back(waiter);
  boost::system::error_code error;
  co_await waiter->wake.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (!waiter->happened) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace terminally
