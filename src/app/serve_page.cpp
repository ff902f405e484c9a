// Runs the process that serves the page: one per user, its signals, and its end.
#include "app/serve_page.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "app/composition.hpp"
#include "app/exit_deadline.hpp"
#include "app/http_instances.hpp"
#include "base/background.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "door/mcp_service.hpp"
#include "far_page/wide_site.hpp"
#include "http/links.hpp"
#include "http/listener.hpp"
#include "http/server.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "system/this_build.hpp"
#include "system/unix_peer.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kPageExitWithin{1'700};
constexpr Milliseconds kCallsEndWithin{800};
constexpr Milliseconds kPagesEndWithin{1'000};
constexpr std::uint16_t kPortsToTry = 10;

FileLock own_page(const Config& config) {
  make_private_directory(config.runtime_root);
  const std::filesystem::path path = config.runtime_root / "serve.lock";
  FileLock lock = FileLock::try_lock(path);
  if (!lock || connect_to(page_links(config)).listens) {
    const int pid = connect_to(page_links(config)).pid;
    throw Error(ErrorCode::busy, "the page is served already" +
                                     (pid > 0 ? " (pid " + std::to_string(pid) + ")" : std::string()) +
                                     ": terminally-mcp open shows it");
  }
  return lock;
}

/// What is served, and to whom.
struct Served {
  Served(const asio::any_io_executor& executor, const Config& config)
      : site(executor, config),
        instances(executor, config),
        service(
            config.state_root, [this](const std::string& name) { return instances.open(name); },
            config.log_segment_bytes) {}

  WideSite site;
  HttpInstances instances;
  McpService service;
};

std::unique_ptr<HttpServer> listen_at(const asio::any_io_executor& executor, const ListenPlace& place,
                                      Served& served) {
  return std::make_unique<HttpServer>(executor, place, served.site, web_files(), &served.service);
}

std::unique_ptr<HttpServer> listen_anywhere(const asio::any_io_executor& executor, Served& served) {
  ListenPlace place;
  const std::uint16_t last = place.port + kPortsToTry - 1;
  for (;; ++place.port) {
    try {
      return listen_at(executor, place, served);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::busy || place.port == last) {
        throw;
      }
    }
  }
}

std::unique_ptr<HttpServer> listen(const asio::any_io_executor& executor,
                                   const std::optional<ListenPlace>& place, Served& served) {
  return place ? listen_at(executor, *place, served) : listen_anywhere(executor, served);
}

/// Later signals change nothing: the guard bounds the time of the end.
Awaitable<void> serve_until_signal(HttpServer& server, Served& served, UniqueFd links, ExitDeadline& guard) {
  const auto executor = co_await asio::this_coro::executor;
  asio::signal_set signals(executor, SIGTERM, SIGINT, SIGHUP);
  std::function<Link(Role)> make = [&server](Role role) {
    return Link{server.make_link(role), text_of(this_build()), ::getpid()};
  };
  {
    const Background serving(executor, server.run());
    const Background linking(executor, answer_for_links(std::move(links), std::move(make)));
    co_await signals.async_wait(asio::use_awaitable);
  }
  guard.arm(kPageExitWithin);
  const auto begun = Clock::now();
  const Spawned<> calls(executor, served.service.finish(begun + kCallsEndWithin));
  co_await server.end(begun + kPagesEndWithin);
  co_await calls.wait_by(begun + kPagesEndWithin);
  co_await served.instances.shut_down();
}

}  // namespace

std::filesystem::path page_links(const Config& config) {
  return config.runtime_root / "serve.sock";
}

int page_server(const Config& config) {
  const UnixPeer peer = connect_to(page_links(config));
  if (peer.listens && !peer.connection) {
    throw Error(ErrorCode::io, "serve lets nobody in at " + page_links(config).string() + "; `fuser -k " +
                                   page_links(config).string() + "` ends it, and loses nothing");
  }
  return peer.connection && peer.uid == ::geteuid() ? peer.pid : 0;
}

int stop_page(const Config& config) {
  const auto found = process_info(page_server(config));
  if (!found) {
    return 0;
  }
  const ProcessId process = found->id();
  const std::string pid = std::to_string(process.pid);
  signal_process(process, SIGTERM);
  const auto until = Clock::now() + 2 * kPageExitWithin;
  while (is_alive(process)) {
    if (Clock::now() > until) {
      throw Error(ErrorCode::io, "serve, pid " + pid +
                                     ", was asked to end (SIGTERM) and still runs; `kill -9 " + pid +
                                     "` ends it for sure, and loses nothing");
    }
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return process.pid;
}

int serve_page(const Config& config, const std::optional<ListenPlace>& place,
               const std::function<void(const ListenPlace&)>& tell) {
  const FileLock lock = own_page(config);
  asio::io_context io(1);
  ExitDeadline guard;
  guard.leave_rest_to({"terminally-mcp", "--runtime-dir", config.runtime_root.string(), "--state-dir",
                       config.state_root.string(), "--tmux", config.tmux, "instances", "clean"});
  Served served(io.get_executor(), in_project(config));
  const auto server = listen(io.get_executor(), place, served);
  ListenPlace links;
  links.socket = page_links(config);
  UniqueFd listener = listen_on(links);
  tell(server->place());
  std::exception_ptr failure;
  asio::co_spawn(io, serve_until_signal(*server, served, std::move(listener), guard),
                 [&](const std::exception_ptr& error) {
                   failure = error;
                   io.stop();
                 });
  io.run();
  remove_file(links.socket);
  if (!server->place().socket.empty()) {
    remove_file(server->place().socket);
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return 0;
}

}  // namespace terminally
