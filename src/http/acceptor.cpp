// Waits for connections.
#include "http/acceptor.hpp"

#include <boost/asio.hpp>
#include <cerrno>
#include <utility>

#include "base/timeout.hpp"
#include "http/listener.hpp"

namespace terminally {

namespace asio = boost::asio;

Awaitable<void> accept_all(UniqueFd listener, std::function<void(UniqueFd)> take) {
  constexpr Milliseconds kPause{50};
  asio::posix::stream_descriptor ready(co_await asio::this_coro::executor, listener.get());
  static_cast<void>(listener.release());
  for (;;) {
    UniqueFd connection = accept_from(ready.native_handle());
    if (connection) {
      take(std::move(connection));
    } else if (errno == EAGAIN) {
      co_await ready.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    } else if (errno != EINTR && errno != ECONNABORTED) {  // no descriptor, most of all
      co_await sleep_for(kPause);
    }
  }
}

}  // namespace terminally
