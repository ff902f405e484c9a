#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// An absolute path of any bytes as file:///… (RFC 8089): plain text for JSON, accepted wherever a path is.
[[nodiscard]] std::string file_uri(std::string_view absolute_path);

/// Whether a text is a file URI. A relative path that begins the same is written ./file://…
[[nodiscard]] bool is_file_uri(std::string_view text);

/// The path of a file URI. Nothing for another machine, no leading slash, a NUL, or a bad escape.
[[nodiscard]] std::optional<std::string> path_of_file_uri(std::string_view uri);

}  // namespace terminally
