// Runs a coroutine on an event loop until it is done or a signal comes.
#include "base/until_signal.hpp"

#include <boost/asio.hpp>
#include <csignal>

#include "base/spawned.hpp"

namespace terminally {

int run_until_signal(boost::asio::io_context& io, boost::asio::awaitable<void> work) {
  constexpr int kSignalled = 128;
  int result = 0;
  boost::asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
  signals.async_wait([&](const boost::system::error_code& error, int number) {
    if (!error) {
      result = kSignalled + number;
    }
  });
  const Spawned<> spawned(io.get_executor(), std::move(work));
  while (result == 0 && !spawned.is_over() && io.run_one() > 0) {
  }
  spawned.result();
  return result;
}

}  // namespace terminally
