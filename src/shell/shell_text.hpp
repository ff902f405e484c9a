#pragma once

#include <string_view>

#include "system/shell_kind.hpp"

namespace terminally {

/// Whether a line that is added to a text may become part of what the text left open, or be named in the
/// shell's error: a here-document, a quote, a compound command, a continued line, a list that ends in an
/// operator. Also true of some whole texts: it is no parser. False of what is an error whatever follows.
[[nodiscard]] bool may_be_unfinished(ShellKind kind, std::string_view text);

/// Whether the exit status of a text is that of `program`: it is one command, or the last of an && list.
/// `$SHELL` may be any program.
[[nodiscard]] bool ends_with_program(std::string_view text, std::string_view program);

}  // namespace terminally
