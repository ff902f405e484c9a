#pragma once

#include <string>
#include <string_view>

#include "mcp/json_rpc.hpp"

namespace terminally {

class TextGuard;

/// What a client said, as it may be said back: masked (`guard` may be null), and of at most 1,000 bytes.
[[nodiscard]] std::string echoed(std::string_view text, TextGuard* guard);

/// The error as it may be sent: all texts in it echoed.
[[nodiscard]] ProtocolError echoed(const ProtocolError& error, TextGuard* guard);

}  // namespace terminally
