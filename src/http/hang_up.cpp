// Sees that a peer has hung up while nothing is read from it.
#include "http/hang_up.hpp"

#include <sys/socket.h>

#include <boost/asio.hpp>
#include <cerrno>

#include "base/timeout.hpp"

namespace terminally {

namespace asio = boost::asio;

Awaitable<void> hung_up(Stream& stream) {
  constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
  auto& socket = stream.socket();
  for (;;) {
    const auto [error] = co_await socket.async_wait(asio::socket_base::wait_read, kQuietly);
    if (error) {
      co_return;
    }
    char byte = 0;
    const ssize_t size = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0) {  // its next request: a hang-up behind it cannot be seen
      asio::steady_timer never(co_await asio::this_coro::executor, Clock::time_point::max());
      co_await never.async_wait(kQuietly);
      co_return;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      co_return;
    }
  }
}

}  // namespace terminally
