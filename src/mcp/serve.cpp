#include "mcp/serve.hpp"

#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "mcp/session.hpp"
#include "mcp/stdio_transport.hpp"
#include "tools/all_tools.hpp"
#include "tools/router.hpp"

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
  const auto transport = std::make_shared<StdioTransport>(executor, take_stdio());
  const Send send = [to = std::weak_ptr(transport)](const std::string& message, Delivery delivery) {
    const auto open = to.lock();  // a dropped call may outlive the connection
    return open && open->send(message, delivery);
  };
  const auto session = std::make_shared<Session>(executor, std::move(router), std::move(info), send);
  co_await transport->run(*session, stop_calls, ending);
}

}  // namespace terminally
