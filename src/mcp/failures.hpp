#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include "mcp/json_rpc.hpp"

namespace terminally {

/// The one place where what went wrong with a request becomes its error. What is not meant for the client,
/// and may say more than it should know, goes to stderr, with the request's `id`.
[[nodiscard]] ProtocolError error_of(const std::exception_ptr& failure, const std::string& id);

/// Of a result that no message can carry.
[[nodiscard]] ProtocolError too_long_for_a_message(std::size_t bytes);

}  // namespace terminally
