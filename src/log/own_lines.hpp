#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "log/edits.hpp"

namespace terminally {

/// What we ourselves leave in a log, and a reader of text has no use for: the echo of the line that we typed
/// for a command, and the names of the files that its text was run from. Never taken out of raw bytes.

/// The echoes of our typed lines, without the newline that ends each. One is known by what the same command
/// prints next: it erases that line, shows the command in its place, and says START. Where something else was
/// printed in between, that stays.
[[nodiscard]] std::vector<Edit> typed_echoes(std::string_view bytes);

/// Where what a reader is to see as one screen begins: behind the last START, or at 0. What a command draws
/// is told as on a screen of its own.
[[nodiscard]] std::size_t begin_of_screen(std::string_view bytes);

/// An echo and its START lie within 8 KB, but behind ssh, where it is of up to so many bytes, in lines that
/// end with a backslash.
inline constexpr std::uint64_t kInlineEchoBytes = std::uint64_t{132} * 1024;
/// Whether all of these bytes may be in the middle of such a one.
[[nodiscard]] bool may_be_inline_echo(std::string_view bytes);

/// The file that a command's text was run from is called `command`: shells name it in their errors (zsh and
/// dash in each). What fish adds about our own script around it is left out. `directory`: where these files
/// are.
[[nodiscard]] std::vector<Edit> command_names(std::string_view text, std::string_view directory);
/// Where at the end of a text begins what may become such a name, or a line to be left out; its size for
/// nowhere.
[[nodiscard]] std::size_t unfinished_name(std::string_view text, std::string_view directory,
                                          bool begins_line);

}  // namespace terminally
