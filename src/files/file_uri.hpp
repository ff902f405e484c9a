#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// An absolute path of any bytes as file:///… (RFC 8089): text that every JSON carries, and that is taken
/// wherever a path is.
[[nodiscard]] std::string file_uri(std::string_view absolute_path);

/// Whether a path is written so. A relative path that begins so is ./file://…
[[nodiscard]] bool is_file_uri(std::string_view text);

/// The path. Nothing for one of another machine, without a leading slash, with a NUL, or badly escaped.
[[nodiscard]] std::optional<std::string> path_of_file_uri(std::string_view uri);

}  // namespace terminally
