#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mcp/json_rpc.hpp"
#include "mcp/methods.hpp"
#include "mcp/resource_uri.hpp"

namespace terminally {

// Tabs, logs and screens as resources, and completion of the ids in their templates.

[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_resources(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> list_resource_templates(Server& server,
                                                                                     Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> read_resource(Server& server, Call call);
[[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> complete(Server& server, Call call);

/// The error for a resource that is not there; each era has a code of its own.
[[nodiscard]] ProtocolError resource_not_found(const std::string& uri, Revision revision);

/// Whether there is something to read; what a closed tab has printed counts.
[[nodiscard]] boost::asio::awaitable<bool> resource_exists(Server& server, ResourceUri uri);

}  // namespace terminally
