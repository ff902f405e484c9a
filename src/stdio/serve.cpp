#include "stdio/serve.hpp"

#include <boost/asio/this_coro.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "mcp/method_table.hpp"
#include "mcp/peer.hpp"
#include "mcp/tasks.hpp"
#include "stdio/stdio_transport.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

namespace terminally {

Implementation this_implementation() {
  return {"terminally-mcp", TERMINALLY_VERSION};
}

boost::asio::awaitable<void> serve_stdio(TmuxManager& manager, const Config& config,
                                         std::shared_ptr<Redaction> redaction, Implementation info,
                                         Ending& ending) {
  const bool stop_calls = config.instance.empty();
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  ToolContext context;
  context.manager = &manager;
  context.default_view.view = config.view;
  context.sync_window = std::chrono::milliseconds(config.sync_window_ms);
  context.redaction = std::move(redaction);
  auto router = std::make_shared<const Router>(all_tools(), std::move(context));
  const auto core = make_core(executor, std::move(router), std::move(info));
  StdioTransport transport(executor, take_stdio());
  const auto peer = std::make_shared<Peer>(core, transport.send(), "stdio");
  std::exception_ptr failure;
  try {
    co_await transport.run(*peer, stop_calls, ending);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (stop_calls) {
    core->tasks->stop();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace terminally
