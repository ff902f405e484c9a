#include "cli/serve.hpp"

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <csignal>

#include "mcp/serve.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> serve_and_shut_down(TmuxManager& manager, const Config& config) {
  using asio::experimental::awaitable_operators::operator||;
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT, SIGHUP);
  co_await (serve_stdio(manager, config, this_implementation()) || signals.async_wait(asio::use_awaitable));
  co_await manager.shut_down();
}

}  // namespace

int serve(const Config& config) {
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  std::exception_ptr failure;
  asio::co_spawn(io, serve_and_shut_down(manager, config), [&](std::exception_ptr error) {
    failure = std::move(error);
    io.stop();
  });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return 0;
}

}  // namespace terminally
