#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

inline constexpr std::size_t kCommandIdDigits = 8;

/// A command's id, the first digits of its nonce. The names of its files and shell variables begin with it.
[[nodiscard]] inline std::string command_id_of(std::string_view nonce) {
  return std::string(nonce.substr(0, kCommandIdDigits));
}

/// The files of a command (CommandFiles), by the last letter of their names. The wrapper has no letter.
enum class CommandFile : char {
  text = 'u',
  end = 'e',    ///< prints END
  hook = 'p',   ///< run by the prompt after the command
  taken = 't',  ///< bash also notes a line of its history there
  cancelled = 'c',
  signalled = 's',
  directory = 'd',
};

[[nodiscard]] inline std::string command_file(std::string_view nonce, CommandFile which) {
  return command_id_of(nonce) + static_cast<char>(which);
}

}  // namespace terminally
