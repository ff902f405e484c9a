#include "stdio/serve.hpp"

#include <boost/asio/this_coro.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "files/file_access.hpp"
#include "instance/history.hpp"
#include "mcp/method_table.hpp"
#include "mcp/peer.hpp"
#include "mcp/tasks.hpp"
#include "stdio/stdio_transport.hpp"
#include "system/this_build.hpp"
#include "toolkit/far_hosts.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

namespace terminally {

namespace {

FileRoots roots_of(const Config& config) {
  if (!config.file_roots.empty()) {
    return FileRoots::of(config.file_roots);
  }
  std::error_code error;
  const char* home = std::getenv("HOME");
  return FileRoots::of_project(std::filesystem::current_path(error), home != nullptr ? home : "");
}

}  // namespace

Implementation this_implementation() {
  return {"terminally-mcp", this_build().version};
}

boost::asio::awaitable<void> serve_stdio(TmuxManager& manager, const Config& config,
                                         std::shared_ptr<Redaction> redaction, Implementation info,
                                         Ending& ending, std::shared_ptr<FarHosts> hosts) {
  const bool stop_calls = config.instance.empty();
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  ToolContext context;
  context.manager = &manager;
  context.default_view.view = config.view;
  context.sync_window = std::chrono::milliseconds(config.sync_window_ms);
  context.files = std::make_shared<FileAccess>(roots_of(config), context.sync_window);
  context.redaction = std::move(redaction);
  context.hosts = std::move(hosts);
  if (!config.gateway.empty()) {
    context.gateway = true;
    context.find_command = [config](const std::string& key) -> std::optional<FoundCommand> {
      const auto found = find_by_key(Instance(config, config.instance), key);
      return found ? std::optional(FoundCommand{found->window_id, found->record.id}) : std::nullopt;
    };
  }
  auto router = std::make_shared<const Router>(all_tools(), std::move(context));
  const auto core = make_core(executor, std::move(router), std::move(info), [&ending] {
    ending.goodbye = true;
    ending.asked.set();
  });
  // Of a gateway whose pipe has ended nobody is left to read an answer.
  const Milliseconds answers_within =
      config.gateway.empty() ? StdioTransport::kAnswersWithin : Milliseconds(0);
  StdioTransport transport(executor, take_stdio(), answers_within);
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
