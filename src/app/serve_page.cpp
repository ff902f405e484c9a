// Runs the process that serves the page: one per user, its signals, and its end.
#include "app/serve_page.hpp"

#include <unistd.h>

#include <boost/asio.hpp>
#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "app/composition.hpp"
#include "app/exit_deadline.hpp"
#include "base/background.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "http/links.hpp"
#include "http/listener.hpp"
#include "http/server.hpp"
#include "page/page_site.hpp"
#include "system/this_build.hpp"
#include "system/unix_peer.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kPageExitWithin{1'700};
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

std::unique_ptr<HttpServer> listen_anywhere(const asio::any_io_executor& executor, Site& site) {
  ListenPlace place;
  const std::uint16_t last = place.port + kPortsToTry - 1;
  for (;; ++place.port) {
    try {
      return std::make_unique<HttpServer>(executor, place, site, web_files());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::busy || place.port == last) {
        throw;
      }
    }
  }
}

std::unique_ptr<HttpServer> listen(const asio::any_io_executor& executor,
                                   const std::optional<ListenPlace>& place, Site& site) {
  return place ? std::make_unique<HttpServer>(executor, *place, site, web_files())
               : listen_anywhere(executor, site);
}

/// Later signals change nothing: the guard bounds the time of the end.
Awaitable<void> serve_until_signal(HttpServer& server, UniqueFd links, ExitDeadline& guard) {
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
  co_await server.end(Clock::now() + kPagesEndWithin);
}

}  // namespace

std::filesystem::path page_links(const Config& config) {
  return config.runtime_root / "serve.sock";
}

int serve_page(const Config& config, const std::optional<ListenPlace>& place,
               const std::function<void(const ListenPlace&)>& tell) {
  const FileLock lock = own_page(config);
  asio::io_context io(1);
  ExitDeadline guard;
  PageSite site(io.get_executor(), in_project(config));
  const auto server = listen(io.get_executor(), place, site);
  ListenPlace links;
  links.socket = page_links(config);
  UniqueFd listener = listen_on(links);
  tell(server->place());
  std::exception_ptr failure;
  asio::co_spawn(io, serve_until_signal(*server, std::move(listener), guard),
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
