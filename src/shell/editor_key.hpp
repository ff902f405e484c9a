#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "system/shell_kind.hpp"
#include "system/tty_wait.hpp"

namespace terminally {

/// A key of ours in a shell's line editor. It does what a file of ours says when it is pressed: so the editor
/// itself tells what a person has half typed, and puts it back, byte for byte; nothing is typed as text, and
/// nothing can run. A command of ours binds it when it ends (scripts/*/end). dash has no editor.
inline constexpr std::string_view kEditorKey = "\x1b[7707~";

/// The file that the key reads, and where it answers, in the runtime directory. They are there only while
/// the key is pressed.
struct EditorKeyFiles {
  std::filesystem::path script;
  std::filesystem::path answer;
};

/// What binds the key, in the shell's own words: one word of it that its `bind` takes (bash, fish), or a
/// command (zsh).
[[nodiscard]] std::string editor_key_action(ShellKind shell, const std::filesystem::path& script);

/// Whether a terminal is as the editor of this shell makes it, and no `read -n 1` of a person, which would
/// take the key for its answer.
[[nodiscard]] bool is_of_editor(ShellKind shell, const TerminalMode& mode);

/// What an editor has of a command that is not entered yet.
struct HalfTyped {
  std::string text;
  /// Whether that is known to be all of the command. bash tells only its last line, and not whether others
  /// went before: that is seen by its prompt.
  bool whole = false;
  std::string prompt;       ///< bash: what stands before it
  std::string next_prompt;  ///< bash: what stands before each further line of a command
};

/// Tells it, as an answer that decode_half_typed reads. Not in an editor that does something else
/// (zsh's vared, fish's read). bash takes the line away, and draws the prompt alone.
[[nodiscard]] std::string telling_script(ShellKind shell, const std::filesystem::path& answer);
[[nodiscard]] std::optional<HalfTyped> decode_half_typed(ShellKind shell, std::string_view answer);

/// The prompt that bash has drawn since then, in these bytes of the log; empty: not yet.
[[nodiscard]] std::string drawn_prompt(std::string_view log);
/// Whether what bash tells is all of a command: it stood behind the prompt that comes first, as `prompt`
/// did after our C-c, which is not the one of further lines.
[[nodiscard]] bool is_first_line(const HalfTyped& half, std::string_view prompt);

/// Puts `text`, a word of the shell, at a prompt where nothing stands, and answers with one NUL.
[[nodiscard]] std::string putting_script(ShellKind shell, const std::string& text,
                                         const std::filesystem::path& answer);
/// What zsh itself keeps of the last line that a C-c took: a word of it.
inline constexpr const char* kLineThatZshKeeps = "$ZLE_LINE_ABORTED";

}  // namespace terminally
