#pragma once

#include <string>
#include <string_view>

#include "system/shell_kind.hpp"

namespace terminally {

/// One word of the shell in quotes, in which nothing is special.
[[nodiscard]] std::string quoted_for(ShellKind kind, std::string_view text);

/// One word of a POSIX shell in single quotes, in which nothing is special.
[[nodiscard]] std::string posix_quoted(std::string_view text);

/// One word of fish in single quotes, in which a backslash before a backslash or a quote is special.
[[nodiscard]] std::string fish_quoted(std::string_view text);

/// One word of the shell: as it is when nothing in it is special, else in quotes.
[[nodiscard]] std::string word_for(ShellKind kind, std::string_view text);
/// One word of a POSIX shell: as it is when nothing in it is special, else in single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace terminally
