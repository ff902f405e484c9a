#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Standard base64 with padding (RFC 4648 section 4), no line breaks.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace terminally
