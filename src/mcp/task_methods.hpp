#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "mcp/exchange.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

class Peer;

/// Whether this tools/call becomes a task: a legacy call when it asks; a modern one when its client and the
/// tool support tasks. Throws `ProtocolError` for a legacy call that asks for a task of a tool without.
[[nodiscard]] bool becomes_task(const Exchange& exchange, const Tool& tool);

/// The answer to a tools/call that becomes a task.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_as_task(
    Peer& peer, ExchangePtr exchange, const Tool& tool, std::shared_ptr<const nlohmann::json> arguments);

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> get_task(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> get_task_result(Peer& peer,
                                                                             ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_tasks(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> update_task(Peer& peer, ExchangePtr exchange);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> cancel_task(Peer& peer, ExchangePtr exchange);

}  // namespace terminally
