#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include "mcp/json_rpc.hpp"

namespace terminally {

/// The one place where a request's exception becomes its error. An exception that is not meant for the
/// client, and may tell it too much, goes to stderr with the request's `id`.
[[nodiscard]] ProtocolError error_of(const std::exception_ptr& failure, const std::string& id);

/// The error for a result that is too long for a message.
[[nodiscard]] ProtocolError too_long_for_a_message(std::size_t bytes);

}  // namespace terminally
