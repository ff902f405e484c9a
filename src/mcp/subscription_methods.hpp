#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>

#include "mcp/exchange.hpp"

namespace terminally {

class Peer;

// Legacy: subscribes to one resource at a time, until it is unsubscribed.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> subscribe(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> unsubscribe(Peer& peer, ExchangePtr exchange);

/// Modern: subscribes for as long as the request lasts.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> listen(Peer& peer, ExchangePtr exchange);

}  // namespace terminally
