#pragma once

#include <string>
#include <string_view>

#include "log/text_view.hpp"

namespace terminally {

/// Log bytes as text for a reader: rendered, stripped, or verbatim. Always valid UTF-8. With a guard, what is
/// not verbatim shows invisible characters; the bytes are to be masked already (masking.hpp).
[[nodiscard]] std::string log_text(std::string_view bytes, const TextView& view, int cols);

/// The same for the output of a command: verbatim, one CR is removed from each CRLF.
[[nodiscard]] std::string output_text(std::string_view bytes, const TextView& view, int cols);

}  // namespace terminally
