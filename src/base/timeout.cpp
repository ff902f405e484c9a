// Timers for coroutines: to sleep, and to cancel work at a deadline.

#include "base/timeout.hpp"

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace terminally {

namespace asio = boost::asio;

asio::awaitable<void> sleep_until(Clock::time_point when) {
  asio::steady_timer timer(co_await asio::this_coro::executor, when);
  co_await timer.async_wait(asio::use_awaitable);
}

namespace {

asio::awaitable<void> capture(asio::awaitable<void> work, std::exception_ptr& failure) {
  try {
    co_await std::move(work);
  } catch (...) {
    failure = std::current_exception();
  }
}

asio::awaitable<void> sleep_quietly(Clock::time_point when) {
  asio::steady_timer timer(co_await asio::this_coro::executor, when);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace

asio::awaitable<bool> run_until(Clock::time_point when, asio::awaitable<void> work) {
  using asio::experimental::awaitable_operators::operator||;
  // Errors are passed on by hand: `||` waits for the first success, so a failed `work` would cost the whole
  // time, and two cancelled branches would make a multiple_exceptions that no caller expects.
  std::exception_ptr failure;
  const auto first = co_await (capture(std::move(work), failure) || sleep_quietly(when));
  if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (failure && first.index() == 0) {
    std::rethrow_exception(failure);
  }
  co_return first.index() == 0;
}

std::int64_t wall_clock_ms() {
  return std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace terminally
