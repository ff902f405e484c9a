#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <span>
#include <string>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"
#include "http/rules.hpp"
#include "http/service.hpp"
#include "http/site.hpp"
#include "http/web_files.hpp"

namespace terminally {

/// Serves a site and the files of its page over HTTP and WebSocket, to browsers of this user on this machine.
class HttpServer {
 public:
  static constexpr Milliseconds kBodyWithin{30'000};

  /// Listens at once. `service` may be null. The site, the service and the files outlive the server. A
  /// request whose body takes longer than `body_within` is cut. Throws Error: busy where the place is taken;
  /// io.
  HttpServer(const boost::asio::any_io_executor& executor, ListenPlace place, Site& site,
             std::span<const WebFile> files, Service* service = nullptr,
             Milliseconds body_within = kBodyWithin);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Where it listens, with the port that was chosen.
  [[nodiscard]] const ListenPlace& place() const;

  /// A link that one browser may enter by, once.
  [[nodiscard]] std::string make_link(Role role);

  /// Takes connections until it is cancelled. To be called once.
  [[nodiscard]] Awaitable<void> run();

  /// Takes no further request, tells the pages, waits for answers under way until then, and cuts what is
  /// left. `run` must be over.
  [[nodiscard]] Awaitable<void> end(Clock::time_point by);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
