#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/shell_kind.hpp"

namespace terminally {

/// One command to be run in a shell.
struct ShellCommand {
  std::string text;
  std::string nonce;                ///< 32 hexadecimal digits
  std::filesystem::path directory;  ///< where its files go (CommandFiles)
  std::filesystem::path helper;     ///< terminally-shell
  int previous_exit = 0;            ///< the exit code of our last command in this shell
  bool exit_lost = false;  ///< `$?` was lost on the way (we interrupted the prompt): start from previous_exit
};

/// What the file says that the wrapper empties when it has come to the text, until then.
inline constexpr std::string_view kNotTaken = "-";

/// What has to be written, and typed, to run it.
///
/// Nothing of the user's text is typed: the typed line sources the first file, which prints START, sources
/// the text and prints END. END does not rely on the text running to its end: a one-shot hook before the next
/// prompt prints it after C-c and after errors that make the shell abandon the file (bash: PROMPT_COMMAND;
/// zsh: an `always` block; dash, sh, ksh: PS1; fish: fish_postexec). Only builtins are used, written so that
/// aliases, functions, a broken PATH, `set -eux`, noclobber and a redirected stdout do not matter. Variables
/// carry the nonce. `$?` of the last command is seen by the text, and its own after.
struct ShellScript {
  struct File {
    std::filesystem::path path;
    std::string content;
  };
  std::vector<File> files;
  std::string typed_line;    ///< without its newline
  std::string mending_line;  ///< the same, after taking away what a shell that did not answer may have: see
                             ///< ShellTemplate::mend
  std::string
      probe_line;  ///< typed as the last resort, when our own C-c was answered by a prompt but no hook
  /// With `set -x` or `set -v` the shell prints our own steps around the text: a line that has one of these
  /// is such a line.
  std::vector<std::string> own_line_marks;
};

[[nodiscard]] ShellScript shell_script(ShellKind kind, const ShellCommand& command);

/// A command that goes to a directory, whatever functions and aliases there are.
[[nodiscard]] std::string cd_command(ShellKind kind, const std::string& directory);

/// The largest text that can be sent in-line.
inline constexpr std::size_t kInlineLimitBytes = 65'536;

/// For a shell that cannot read our files (ssh, su, docker exec): lines of at most 900 bytes to be typed one
/// after the other, which decode and run the command in any POSIX shell that has base64. The shell runs it
/// once, however often they arrive; what arrives damaged, or cannot be decoded, it refuses for good
/// (Marker::By::refused).
[[nodiscard]] std::vector<std::string> inline_lines(const ShellCommand& command);

/// What a person who watches sees in place of the plumbing: the command behind a "$ ", bounded, with control
/// characters made visible, ended by CRLF. In the form that printf's %b takes: backslash escapes, no control
/// characters.
[[nodiscard]] std::string command_for_display(std::string_view command);

}  // namespace terminally
