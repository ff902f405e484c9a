#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "json/json_rpc.hpp"

namespace terminally {

class TextGuard;

/// A client's text as it may be sent back: masked (`guard` may be null), and at most 1,000 bytes long.
[[nodiscard]] std::string echoed(std::string_view text, TextGuard* guard);

/// The error with its message and all texts in its data echoed.
[[nodiscard]] ProtocolError echoed(const ProtocolError& error, TextGuard* guard);

/// The one place where a request's exception becomes its error. An exception that is not meant for the
/// client, and may tell it too much, goes to stderr with the request's `id`.
[[nodiscard]] ProtocolError error_of(const std::exception_ptr& failure, const std::string& id);

/// The error for a result that is too long for a message.
[[nodiscard]] ProtocolError too_long_for_a_message(std::size_t bytes);

}  // namespace terminally
