#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// The text of a configuration; nullopt where there is no file.
using ConfigText = std::optional<std::string>;

/// Names from the outermost object or table inward: {"mcpServers", "terminally"}.
using ConfigPath = std::vector<std::string>;

/// How a text ends its lines, "\r\n" or "\n", by its first line.
[[nodiscard]] std::string line_end_of(std::string_view text);

/// Whether there is nothing but spaces, tabs and ends of lines.
[[nodiscard]] bool is_blank(std::string_view text);

/// The number of the line, from 1, that has the byte at `at`.
[[nodiscard]] std::size_t line_at(std::string_view text, std::size_t at);

/// Adds lines at the end, behind an empty line. `block` has "\n" between its lines and none behind the last.
/// The end of the result tells what was there, so that `without_block` restores it: a text whose last line
/// had no end gets none, and no empty line.
[[nodiscard]] std::string with_block(const ConfigText& text, std::string_view block);

/// Takes away the lines from `begin` to `end`, and what `with_block` put before them.
[[nodiscard]] ConfigText without_block(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace terminally
