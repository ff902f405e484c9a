#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

/// Tells people who watch a tab that a client ended the command there. The text has a line of its own after
/// END, and so outside of the output. The shells' hooks print it, terminally-shell does, and the server does
/// where a person had started the command.
inline constexpr char kCancelledText[] = "[CANCELLED] Command terminated by MCP client";
/// The same where a person did so, at the page or by `terminally-mcp cancel`.
inline constexpr char kCancelledInBrowserText[] = "[CANCELLED] Command terminated by a person in the browser";
inline constexpr char kCancelledByHandText[] =
    "[CANCELLED] Command terminated by a person on the command line";

inline constexpr std::size_t kCommandIdDigits = 8;
inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// A command's id, the first digits of its nonce. The names of its files and shell variables begin with it.
[[nodiscard]] inline std::string command_id_of(std::string_view nonce) {
  return std::string(nonce.substr(0, kCommandIdDigits));
}

enum class Canceller { client, browser, command_line };

[[nodiscard]] constexpr const char* cancelled_text(Canceller by) {
  return by == Canceller::client    ? kCancelledText
         : by == Canceller::browser ? kCancelledInBrowserText
                                    : kCancelledByHandText;
}

/// In the runtime directory: who looks after which command in a nested shell (CommandFiles::owner_path).
inline constexpr char kOwners[] = "nested";

/// The files of a command (CommandFiles), by the last letter of their names. The wrapper has no letter.
enum class CommandFile : char {
  text = 'u',
  end = 'e',    ///< prints END
  hook = 'p',   ///< run by the prompt after the command
  taken = 't',  ///< bash also notes a line of its history there
  cancelled = 'c',
  by_person = 'b',  ///< beside `cancelled`: a person did so, in the browser
  by_hand = 'h',    ///< the same, on the command line
  signalled = 's',
  directory = 'd',
};

[[nodiscard]] inline std::string command_file(std::string_view nonce, CommandFile which) {
  return command_id_of(nonce) + static_cast<char>(which);
}

/// Leaves the alternate screen, if that is on, and else changes nothing. The sequence enters the screen
/// first: to leave one that is not on would put the cursor where a program last entered it, above what was
/// printed since. Entering saves the cursor's place, and does nothing where the alternate screen is on
/// already.
inline constexpr std::string_view kLeaveAlternateScreen = "\033[?1049h\033[?1049l";

/// By these variables tmux, screen and zellij know that they would run in themselves; start-up files that
/// open a multiplexer look at them. Until our first command a tab has them with a value that leads nowhere.
inline constexpr std::array<const char*, 3> kMultiplexers = {"TMUX", "STY", "ZELLIJ"};
inline constexpr char kNoMultiplexer[] = "/dev/null/terminally-mcp,0,0";

}  // namespace terminally
