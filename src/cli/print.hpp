#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Whoever read our stdout has gone: there is nothing left to do, and nothing to complain about.
struct OutputClosed {};

/// Writes to stdout at once and blocks until it took everything. Throws OutputClosed; Error(io) for other
/// failures.
void print(std::string_view text);

/// From now on it is for a person at another machine, who calls this one so: ids of tabs get that in front,
/// so that advice can be typed as it is printed. Empty: as they are.
void say_as_host(const std::string& name);
[[nodiscard]] std::string as_said(std::string_view text);

/// A line on stderr: "terminally-mcp: ...".
void complain(std::string_view text);

/// Text of others (a directory's name, a command line) on one line of a terminal: control characters are '?',
/// invalid bytes U+FFFD, and what a reader would not see or be misled by is shown as ⟨U+202E⟩.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace terminally
