#pragma once

#include <string_view>

#include "tmux/shells.hpp"

namespace terminally {

/// The scripts of one shell, with `@NAME@` to be filled in by shells.cpp. What each must withstand is said in
/// shells.hpp.
struct ShellTemplate {
  std::string_view source;    ///< how the typed line sources a file
  std::string_view mend;      ///< typed first when no shell answered: takes away what hides our builtins
  std::string_view wrapper;   ///< START, the text, END
  std::string_view epilogue;  ///< a last line for the text
  std::string_view end;       ///< prints END and puts everything back; empty: the wrapper does it itself
  std::string_view hook;      ///< what the prompt hook sources, where it is not `end`
};

[[nodiscard]] const ShellTemplate& shell_template(ShellKind kind);

/// For any POSIX shell, without files: what is typed; the payload in it, which runs a text once only; that
/// text; and how it ends.
[[nodiscard]] std::string_view inline_typed_template();
[[nodiscard]] std::string_view inline_template();
[[nodiscard]] std::string_view inline_run_template();
[[nodiscard]] std::string_view inline_end_template();

}  // namespace terminally
