// Runs a coroutine on an event loop until it is done or a signal comes.
#include "cli/until_signal.hpp"

#include <boost/asio.hpp>
#include <csignal>
#include <exception>

namespace terminally {

int run_until_signal(boost::asio::io_context& io, boost::asio::awaitable<void> work) {
  constexpr int kSignalled = 128;
  int result = 0;
  std::exception_ptr failure;
  boost::asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
  signals.async_wait([&](const boost::system::error_code& error, int number) {
    if (!error) {
      result = kSignalled + number;
      io.stop();
    }
  });
  boost::asio::co_spawn(io, std::move(work), [&](const std::exception_ptr& error) {
    failure = error;
    io.stop();
  });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return result;
}

}  // namespace terminally
