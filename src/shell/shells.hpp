#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/foreground.hpp"

namespace terminally {

/// The values for each `__NAME__` of a script, by NAME: capitals, digits and underscores.
using ScriptValues = std::map<std::string, std::string, std::less<>>;

/// The script with the values filled in; the values themselves are not searched for names. Throws
/// std::logic_error for a name that has no value.
[[nodiscard]] std::string fill(std::string_view script, const ScriptValues& values);

/// As `fill`, without the newline at the end: for a script of one line, which is typed, or becomes a word.
[[nodiscard]] std::string fill_line(std::string_view script, const ScriptValues& values);

/// One command to be run in a shell.
struct ShellCommand {
  std::string text;
  std::string nonce;                ///< 32 hexadecimal digits
  std::filesystem::path directory;  ///< where the command's files go (CommandFiles)
  std::filesystem::path helper;     ///< terminally-shell
  int previous_exit = 0;            ///< the exit code of our last command in this shell
  bool exit_lost = false;           ///< `$?` was lost (we interrupted the prompt): start from previous_exit
  /// The text's standard input; empty: the terminal.
  std::filesystem::path input = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// The content of the "taken" file until the wrapper comes to the text, and empties that file.
inline constexpr std::string_view kNotTaken = "-";

/// The files to be written and the line to be typed to run a command.
///
/// Nothing of the user's text is typed: the typed line sources the first file, which prints START, sources
/// the text and prints END. END does not rely on the text running to its end: a one-shot hook before the next
/// prompt prints it after C-c and after errors that make the shell abandon the file (bash: PROMPT_COMMAND;
/// zsh: an `always` block; dash, sh, ksh: PS1; fish: fish_postexec). Only builtins are used, written so that
/// aliases, functions, a broken PATH, `set -eux`, noclobber and a redirected stdout do not matter. Names of
/// variables have the command's id. The text sees `$?` of the last command, and the next sees its own.
struct ShellScript {
  struct File {
    std::filesystem::path path;
    std::string content;
  };
  std::vector<File> files;
  std::string typed_line;    ///< without its newline
  std::string mending_line;  ///< typed_line after ShellTemplate::mend, for a shell that did not answer
  std::string probe_line;    ///< typed as the last resort, when a prompt but no hook answered our own C-c
  /// With `set -x` or `set -v` the shell prints our own steps around the text: lines with one of these.
  std::vector<std::string> own_line_marks;
};

[[nodiscard]] ShellScript shell_script(ShellKind kind, const ShellCommand& command);

/// A command that changes to a directory, whatever functions and aliases there are. Without a kind: for a
/// shell that cannot read our files, whose aliases alone do not matter.
[[nodiscard]] std::string cd_command(std::optional<ShellKind> kind, const std::string& directory);

/// The largest text that can be sent in-line.
inline constexpr std::size_t kInlineLimitBytes = 65'536;

/// For a shell that cannot read our files (ssh, su, docker exec): lines of about 900 bytes, to be typed one
/// after the other, that decode and run the command in any POSIX shell that has base64. The shell runs the
/// command once, however often the lines arrive, and refuses it for good when they arrive damaged or cannot
/// be decoded (Marker::By::refused).
[[nodiscard]] std::vector<std::string> inline_lines(const ShellCommand& command);

/// What a person who watches the tab sees in place of our scripts: "$ " and the command, shortened, with
/// visible controls, ended by CRLF. In the form of printf's %b: backslash escapes, no controls.
[[nodiscard]] std::string command_for_display(std::string_view command);

}  // namespace terminally
