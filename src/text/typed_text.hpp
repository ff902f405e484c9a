#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

/// How many bytes of a typed line the kernel keeps while a program reads by the line (N_TTY_BUF_SIZE, less
/// the newline). The kernel drops the rest.
inline constexpr std::size_t kLongestTypedLine = 4'095;

/// Whether the text has a control character other than tab and newline (CR, LF).
[[nodiscard]] bool has_other_control_characters(std::string_view text);

/// Throws Error(invalid_argument) where the text has a NUL, is no UTF-8, or, unless `allow_control`, has a
/// control character other than tab and newline; the error names the character and its offset.
void check_text(std::string_view text, bool allow_control);

/// As check_text, for a text left at a prompt that must not run: allows no controls but tab and newline.
void check_prompt_text(std::string_view text);

/// Whether a shell at its prompt takes pasted lines as one text: its line editor has turned bracketed paste
/// on since anything else had the terminal. `log`: the last bytes of the tab's log.
[[nodiscard]] bool takes_pasted_lines(std::string_view log);

/// The text with each newline (LF, CRLF) as one key, LF. `submit`: without the newline at the end, because
/// Enter is pressed after the text.
[[nodiscard]] std::string with_enter_keys(std::string_view text, bool submit);

/// Whether a text is better pasted than typed where a program tells the two apart (bracketed paste): the
/// lines of a paste belong together, and a pasted tab is a tab. A single line is typed: ":wq" is a command to
/// vim, and would be text if pasted. A text with controls is typed, too: in a paste they are no keys.
[[nodiscard]] bool is_for_paste(std::string_view text);

/// Throws Error(invalid_argument) that names the first line that a terminal in line mode would cut.
void check_line_lengths(std::string_view text, std::string_view field = "text");

/// The key at the start of the bytes that a terminal sends.
struct TypedKey {
  std::size_t bytes = 0;  ///< 0: the key is not whole yet
  bool answer = false;    ///< no key, but the terminal's own answer to a program's query
};

/// The first key of `typed`, which must not be empty: a character, the sequence of an arrow or F key, or a
/// whole paste (bracketed). A lone Escape is the Escape key: sequences come in one piece.
[[nodiscard]] TypedKey first_key(std::string_view typed);

/// How many bytes of `typed` a program that reads by the line takes at once: up to the end of a line (CR, LF,
/// C-d), or all of them, but at most kLongestTypedLine.
[[nodiscard]] std::size_t first_line(std::string_view typed);

}  // namespace terminally
