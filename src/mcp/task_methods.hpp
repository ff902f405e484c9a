#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "mcp/methods.hpp"

namespace terminally {

/// Whether this tools/call is to be a task: legacy, when it asks; modern, when its client knows tasks and the
/// tool is worth one. Throws `ProtocolError` when it asks for what the tool does not have.
[[nodiscard]] bool becomes_task(const Call& call, const Tool& tool);

/// The answer to a tools/call that becomes one.
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_as_task(
    Server& server, Call call, const Tool& tool, std::shared_ptr<const nlohmann::json> arguments);

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> get_task(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> get_task_result(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_tasks(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> update_task(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> cancel_task(Server& server, Call call);

}  // namespace terminally
