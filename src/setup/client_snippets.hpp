#pragma once

#include <string>

#include "setup/clients.hpp"

namespace terminally {

/// What has to be in the configuration of a client, for people who add it by hand: `entry`, and where. Pure.
[[nodiscard]] std::string client_snippet(const McpClient& client, const ClientPlaces& places,
                                         const std::string& entry);

}  // namespace terminally
