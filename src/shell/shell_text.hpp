#pragma once

#include <string_view>

#include "system/shell_kind.hpp"

namespace terminally {

/// Whether a line may be added to a text without becoming part of what the text left open: a quote, a
/// here-document, a compound command, a continued line, a list that ends in an operator. Reads the text as
/// the shell does, comments, quotes, expansions and here-documents; says no to what it does not understand,
/// and always for fish.
[[nodiscard]] bool is_complete_text(ShellKind kind, std::string_view text);

/// Whether the exit status of a text is that of `program`: it is one command, or the last of an && list.
/// `$SHELL` may be any program.
[[nodiscard]] bool ends_with_program(std::string_view text, std::string_view program);

}  // namespace terminally
