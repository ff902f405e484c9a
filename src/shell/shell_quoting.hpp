#pragma once

#include <string>
#include <string_view>

#include "system/shell_kind.hpp"

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

}  // namespace terminally
