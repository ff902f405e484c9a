// Tells the kind of a shell by the name of its program.
#include "system/shell_kind.hpp"

#include <map>

namespace terminally {

std::optional<ShellKind> shell_kind(std::string_view program) {
  if (const std::size_t slash = program.rfind('/'); slash != std::string_view::npos) {
    program.remove_prefix(slash + 1);
  }
  if (program.starts_with('-')) {
    program.remove_prefix(1);
  }
  static const std::map<std::string_view, ShellKind> kinds = {
      {"bash", ShellKind::bash},  {"rbash", ShellKind::bash},    {"zsh", ShellKind::zsh},
      {"fish", ShellKind::fish},  {"dash", ShellKind::posix},    {"sh", ShellKind::posix},
      {"ash", ShellKind::posix},  {"ksh", ShellKind::posix},     {"ksh93", ShellKind::posix},
      {"mksh", ShellKind::posix}, {"busybox", ShellKind::posix},
  };
  const auto found = kinds.find(program);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace terminally
