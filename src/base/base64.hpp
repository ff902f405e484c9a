#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// Standard base64 with padding (RFC 4648 section 4), no line breaks.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

/// Nothing for other text: another character, a line break, missing padding, stray bits at the end.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace terminally
