// Sees that a peer has hung up while nothing is read from it.
#include "http/hang_up.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <boost/asio.hpp>
#include <cerrno>

#include "base/timeout.hpp"

namespace terminally {

namespace asio = boost::asio;

Awaitable<void> hung_up(Stream& stream) {
  constexpr Milliseconds kBetweenLooks{500};
  constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
  auto& socket = stream.socket();
  for (;;) {
    const auto [error] = co_await socket.async_wait(asio::socket_base::wait_read, kQuietly);
    if (error) {
      co_return;
    }
    char byte = 0;
    const ssize_t size = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0) {  // its next request: the socket is readable from now on, and the hang-up is asked for
      co_await sleep_for(kBetweenLooks);
      pollfd hang_up{socket.native_handle(), POLLRDHUP, 0};
      if (::poll(&hang_up, 1, 0) == 0) {
        continue;
      }
      co_return;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      co_return;
    }
  }
}

}  // namespace terminally
