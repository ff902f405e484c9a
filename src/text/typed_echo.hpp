#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// What was typed into a terminal, as far as its echo is to be told from what programs print. Blanks are left
/// out, because lines are wrapped and indented on their way to the screen.
struct TypedInput {
  enum class EchoedBy {
    nobody,    ///< a password
    terminal,  ///< at once, whoever reads it
    program,   ///< by a line editor, or not at all
    drawing,   ///< by a program that reads keys: in a row that it draws, or not at all
  };
  EchoedBy echoed_by = EchoedBy::nobody;
  bool edited = false;                  ///< in the log, a line editor that takes pastes (CSI ? 2004 h) was on
  bool entered = false;                 ///< with an Enter
  std::string prompt = {};              // NOLINT(readability-redundant-member-init): see prompt_letters
  std::vector<std::string> lines = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// The lines of a text with one newline for each Enter, as TypedInput has them. Empty lines are left out.
[[nodiscard]] std::vector<std::string> echoed_lines(std::string_view text);
/// The text that keys type ("a", "Space", "Enter"). A line with another key is not known, and left out.
[[nodiscard]] std::string typed_by_keys(const std::vector<std::string>& keys);

/// What stands before the cursor, as TypedInput has it, in a log that ends so.
[[nodiscard]] std::string prompt_letters(std::string_view log);

/// Bytes of a log that are an echo. What ends in them is not printed.
struct EchoRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool open = false;  ///< bytes that follow decide: it may turn out to be none
};

/// The echoes of an input in the bytes that came behind it: redraws, colours and suggestions of a line editor
/// are part of them. Each line is echoed once; one that was typed ahead may be shown again by an editor.
/// In their order, and none within another. `late`: what has not come by now is taken for never to come, and
/// no range is open.
[[nodiscard]] std::vector<EchoRange> echoes(std::string_view printed, const TypedInput& input, bool late);

}  // namespace terminally
