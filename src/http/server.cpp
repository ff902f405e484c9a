// Keeps the connections of a server within its limits, and ends them.
#include "http/server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <list>
#include <utility>

#include "base/event.hpp"
#include "http/acceptor.hpp"
#include "http/connection.hpp"
#include "http/house.hpp"
#include "http/listener.hpp"

namespace terminally {

namespace asio = boost::asio;
using ConnectionPtr = std::shared_ptr<Connection>;

struct HttpServer::State : std::enable_shared_from_this<State> {
  State(asio::any_io_executor on, ListenPlace place, Site& site, std::span<const WebFile> files,
        Service* service, Milliseconds body_within)
      : executor(std::move(on)),
        house{std::move(place), site, files, {}, false, service, body_within},
        listener(listen_on(house.place)) {
    family = house.place.socket.empty()
                 ? (house.place.address.find(':') == std::string::npos ? AF_INET : AF_INET6)
                 : AF_UNIX;
  }

  void take(UniqueFd socket) {
    if (family != AF_UNIX && !is_own_peer(socket)) {
      return;
    }
    make_room();
    if (connections.size() >= kMostConnections) {
      return;
    }
    const auto connection = std::make_shared<Connection>(executor, std::move(socket), family, house);
    connections.push_back(connection);
    asio::co_spawn(executor, serve(shared_from_this(), connection), asio::detached);
  }

  /// The stranger who has been there longest goes where strangers are too many: a flood of connections costs
  /// no page its own.
  void make_room() {
    const auto is_stranger = [](const ConnectionPtr& one) { return !one->is_known(); };
    if (std::ranges::count_if(connections, is_stranger) >= static_cast<std::ptrdiff_t>(kMostStrangers)) {
      const auto oldest = std::ranges::find_if(connections, is_stranger);
      (*oldest)->cut();
      connections.erase(oldest);
    }
  }

  static Awaitable<void> serve(std::shared_ptr<State> state, ConnectionPtr connection) {
    co_await connection->serve();
    std::erase(state->connections, connection);
    state->left.notify();
  }

  asio::any_io_executor executor;
  House house;
  UniqueFd listener;
  int family = AF_INET;
  std::list<ConnectionPtr> connections;  ///< the oldest first
  Event left;                            ///< a connection is over
};

HttpServer::HttpServer(const asio::any_io_executor& executor, ListenPlace place, Site& site,
                       std::span<const WebFile> files, Service* service, Milliseconds body_within)
    : state_(std::make_shared<State>(executor, std::move(place), site, files, service, body_within)) {}

HttpServer::~HttpServer() = default;

const ListenPlace& HttpServer::place() const {
  return state_->house.place;
}

std::string HttpServer::make_link(Role role) {
  const std::string code = state_->house.sessions.make_code(role, Clock::now());
  const bool over_tcp = place().socket.empty();
  return (over_tcp ? to_string(place()) : std::string("http://localhost")) + "/#" + code;
}

Awaitable<void> HttpServer::run() {
  std::function<void(UniqueFd)> take = [state = state_](UniqueFd socket) { state->take(std::move(socket)); };
  co_await accept_all(std::move(state_->listener), std::move(take));
}

Awaitable<void> HttpServer::end(Clock::time_point by) {
  const auto state = state_;
  state->house.ends = true;
  const std::list<ConnectionPtr> there = state->connections;
  for (const ConnectionPtr& connection : there) {
    connection->finish();
  }
  while (!state->connections.empty() && Clock::now() < by) {
    co_await state->left.wait_by(by);
  }
  const std::list<ConnectionPtr> left = state->connections;
  for (const ConnectionPtr& connection : left) {
    connection->cut();
  }
}

}  // namespace terminally
