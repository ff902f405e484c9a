#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>

#include "mcp/exchange.hpp"

namespace terminally {

class Peer;

// Tabs, logs and screens as resources, and completion of the ids in their templates.

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_resources(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_resource_templates(Peer& peer,
                                                                                     ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> read_resource(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> complete(Peer& peer, ExchangePtr exchange);

}  // namespace terminally
