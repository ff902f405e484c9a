#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "base/awaitable.hpp"
#include "base/descriptors.hpp"
#include "http/house.hpp"

namespace terminally {

/// One connection, from its first request to its last, or to its WebSocket.
class Connection {
 public:
  Connection(const boost::asio::any_io_executor& executor, UniqueFd socket, int family, House& house);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Serves until one side closes. Never throws. To be called once; the object and the house outlive it.
  [[nodiscard]] Awaitable<void> serve();

  /// Whether it has shown a good cookie.
  [[nodiscard]] bool is_known() const;
  /// Ends it at once where nothing is under way, else with the answer; tells a page's socket.
  void finish();
  /// Ends it now.
  void cut();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace terminally
