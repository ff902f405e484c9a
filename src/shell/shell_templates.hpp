#pragma once

#include <string_view>

#include "system/foreground.hpp"

namespace terminally {

/// The scripts of one shell: each is the file of the field's name in src/shell/scripts, without comments and
/// indentation; empty: there is none. shells.hpp says what they must withstand, fill.hpp fills `__NAME__` in.
struct ShellTemplate {
  std::string_view source;   ///< one line, typed: sources a file
  std::string_view mend;     ///< one line, typed first when no shell answered: removes what hides builtins
  std::string_view wrapper;  ///< START, the text, END
  std::string_view
      prologue;  ///< stands before a text that asks for `$_`; none: the wrapper sets it, or there is none
  std::string_view epilogue;     ///< a last line appended to the text
  std::string_view end;          ///< prints END and puts everything back; none: the wrapper does it itself
  std::string_view hook;         ///< what the prompt hook sources, where it is not `end`
  std::string_view cd;           ///< one line: goes to a directory
  std::string_view completions;  ///< what `terminally-mcp completions` prints: completes its command line
};

[[nodiscard]] const ShellTemplate& shell_template(ShellKind kind);

/// The scripts for any POSIX shell that cannot read our files.
struct InlineTemplate {
  std::string_view typed;     ///< one line, with the payload in it
  std::string_view payload;   ///< runs `run`, once only
  std::string_view run;       ///< START, the text, END
  std::string_view epilogue;  ///< a last line appended to the text
  std::string_view end;       ///< prints END and takes the hooks out
  std::string_view cd;        ///< one line: goes to a directory
};

[[nodiscard]] const InlineTemplate& inline_template();

}  // namespace terminally
