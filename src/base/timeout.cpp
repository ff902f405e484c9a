#include "base/timeout.hpp"

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace terminally {

namespace asio = boost::asio;

asio::awaitable<void> sleep_until(Clock::time_point when) {
  asio::steady_timer timer(co_await asio::this_coro::executor, when);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<bool> finish_by(Clock::time_point when, asio::awaitable<void> work) {
  using asio::experimental::awaitable_operators::operator||;
  const auto first = co_await (std::move(work) || sleep_until(when));
  co_return first.index() == 0;
}

std::int64_t wall_clock_ms() {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace terminally
