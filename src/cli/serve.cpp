#include "cli/serve.hpp"

#include <boost/asio.hpp>
#include <csignal>
#include <utility>

#include "mcp/serve.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> wait_for_signal() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT, SIGHUP);
  co_await signals.async_wait(asio::use_awaitable);
}

}  // namespace

int serve(const Config& config) {
  std::signal(SIGPIPE, SIG_IGN);
  auto redaction = make_redaction(config);
  asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  std::exception_ptr failure;
  bool ending = false;
  // Whichever comes first: the end of stdin, or a signal. A signal leaves the session where it is; nothing of
  // it runs again.
  const auto end = [&](const std::exception_ptr& error) {
    failure = failure ? failure : error;
    if (!std::exchange(ending, true)) {
      asio::co_spawn(io, manager.shut_down(), [&](const std::exception_ptr& late) {
        failure = failure ? failure : late;
        io.stop();
      });
    }
  };
  asio::co_spawn(io, serve_stdio(manager, config, std::move(redaction), this_implementation()), end);
  asio::co_spawn(io, wait_for_signal(), end);
  asio::co_spawn(io, manager.look_after_running(), asio::detached);
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return 0;
}

}  // namespace terminally
