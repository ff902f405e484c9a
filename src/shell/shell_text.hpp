#pragma once

#include <string>
#include <string_view>

#include "system/foreground.hpp"

namespace terminally {

/// The text as one quoted word of the shell.
[[nodiscard]] std::string quoted_for(ShellKind kind, std::string_view text);

/// The text as one word of a POSIX shell, in single quotes.
[[nodiscard]] std::string posix_quoted(std::string_view text);

/// The text as one word of fish, in single quotes, where a backslash escapes a backslash or a quote.
[[nodiscard]] std::string fish_quoted(std::string_view text);

/// The text as one word of the shell, quoted only where it needs quotes.
[[nodiscard]] std::string word_for(ShellKind kind, std::string_view text);
/// The text as one word of a POSIX shell, quoted only where it needs quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// Whether a line appended to a text may become part of what the text leaves open (a here-document, a quote,
/// a compound command, a continued line, a list that ends in an operator), or be named in the shell's error.
/// Also true of some complete texts: this is no parser. False of a text that is an error whatever follows.
[[nodiscard]] bool may_be_unfinished(ShellKind kind, std::string_view text);

/// Whether a shell that controls jobs runs the text as one: a simple command, a pipeline or a subshell, all
/// of it in one process group, behind which nothing is run. False where that is not plain to see.
[[nodiscard]] bool is_one_job(std::string_view text);

/// Whether the exit status of a text is that of `program`: the text is one command of it, or an && list that
/// ends with one. `$SHELL` may be any program.
[[nodiscard]] bool ends_with_program(std::string_view text, std::string_view program);

}  // namespace terminally
