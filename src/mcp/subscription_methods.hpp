#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>

#include "mcp/exchange.hpp"

namespace terminally {

class Peer;

// Legacy: one resource at a time, until it is taken back.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> subscribe(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> unsubscribe(Peer& peer, ExchangePtr exchange);

/// Modern: a request that lasts as long as its subscription.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> listen(Peer& peer, ExchangePtr exchange);

}  // namespace terminally
