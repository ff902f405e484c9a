#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// Thrown where the reader of stdout has gone: there is nothing left to do, and no error to report.
struct OutputClosed {};

/// Writes to stdout unbuffered, and blocks until all is written. Throws OutputClosed, or Error(io) for other
/// failures.
void print(std::string_view text);

/// Says that texts are for a person at another machine who calls this one `name`: as_said and complain put
/// that name before the ids of tabs, so advice can be typed as it is printed. Empty: ids stay as they are.
void say_as_host(const std::string& name);
[[nodiscard]] std::string as_said(std::string_view text);

/// Prints a line on stderr: "terminally-mcp: ...", in_peoples_words.
void complain(std::string_view text);
/// The same for what no agent is told: the words that it repeats are the person's, also outside of quotes.
void complain_as_it_is(std::string_view text);

/// Foreign text (a directory's name, a command line) made safe for one line of a terminal: control characters
/// become '?', invalid bytes U+FFFD, and invisible or misleading characters their code, as ⟨U+202E⟩.
[[nodiscard]] std::string on_one_line(std::string_view text);

/// The first line of a command, shortened and safe for a terminal.
[[nodiscard]] std::string first_line_of(const std::string& command, std::size_t most_bytes);

using TableRow = std::vector<std::string>;

/// Rows of equal length as aligned columns; the last column is not padded. The first row is the head.
[[nodiscard]] std::string table(const std::vector<TableRow>& rows);

}  // namespace terminally
