#pragma once

#include <string>
#include <string_view>

#include "mcp/json_rpc.hpp"

namespace terminally {

class TextGuard;

/// A client's text as it may be sent back: masked (`guard` may be null), and at most 1,000 bytes long.
[[nodiscard]] std::string echoed(std::string_view text, TextGuard* guard);

/// The error with its message and all texts in its data echoed.
[[nodiscard]] ProtocolError echoed(const ProtocolError& error, TextGuard* guard);

}  // namespace terminally
