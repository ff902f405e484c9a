#pragma once

#include <string_view>

#include "system/shell_kind.hpp"

namespace terminally {

/// Whether a line appended to a text may become part of what the text leaves open (a here-document, a quote,
/// a compound command, a continued line, a list that ends in an operator), or be named in the shell's error.
/// Also true of some complete texts: this is no parser. False of a text that is an error whatever follows.
[[nodiscard]] bool may_be_unfinished(ShellKind kind, std::string_view text);

/// Whether the exit status of a text is that of `program`: the text is one command of it, or an && list that
/// ends with one. `$SHELL` may be any program.
[[nodiscard]] bool ends_with_program(std::string_view text, std::string_view program);

}  // namespace terminally
