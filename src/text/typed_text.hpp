#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// What the kernel keeps of one line that is typed while a program reads by the line (N_TTY_BUF_SIZE, less
/// the newline). The rest is dropped.
inline constexpr std::size_t kLongestTypedLine = 4'095;

/// Whether it has a control character other than tab and newline (CR, LF).
[[nodiscard]] bool has_other_control_characters(std::string_view text);

/// Throws Error(invalid_argument) that names the first character that must not be typed and its offset: NUL,
/// what is no UTF-8, and, unless `allow_control`, control characters other than tab and newline.
void check_text(std::string_view text, bool allow_control);

/// The same for a text that is left at a prompt and must not run: no control characters at all but tab and
/// newline.
void check_prompt_text(std::string_view text);

/// Whether the shell that shows its prompt takes a pasted text of several lines as one: its line editor has
/// turned bracketed paste on since anything else had the terminal. `log`: the last bytes of its log.
[[nodiscard]] bool takes_pasted_lines(std::string_view log);

/// The text with each newline (LF, CRLF) as the one key that it is typed by, LF. `submit`: without the
/// newline at its end, because Enter is pressed then.
[[nodiscard]] std::string with_enter_keys(std::string_view text, bool submit);

/// Whether it is better pasted than typed where a program tells the two apart (bracketed paste): several
/// lines belong together, and a tab is a tab. One line is typed: ":wq" is a command to vim, and pasted it
/// would be text. So is what has control characters: inside brackets they are no keys.
[[nodiscard]] bool is_for_paste(std::string_view text);

/// Throws Error(invalid_argument) that names the first line that a terminal in line mode would cut.
void check_line_lengths(std::string_view text, std::string_view field = "text");

}  // namespace terminally
