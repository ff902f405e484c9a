#pragma once

#include <optional>
#include <string_view>

namespace terminally {

/// The shells we know how to run a command in. `posix` is dash, sh, ash, ksh and mksh.
enum class ShellKind { bash, zsh, posix, fish };

/// The kind by a program's name ("bash", "-zsh", "/bin/dash"); nullopt: not a shell that we know.
[[nodiscard]] std::optional<ShellKind> shell_kind(std::string_view program);

}  // namespace terminally
