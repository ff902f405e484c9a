#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

inline constexpr std::size_t kCommandIdDigits = 8;

/// The first digits of a command's nonce: its id, and how the names of its files and of its scripts'
/// variables begin.
[[nodiscard]] inline std::string command_id_of(std::string_view nonce) {
  return std::string(nonce.substr(0, kCommandIdDigits));
}

/// The files of a command (CommandFiles), by the letter that ends their names. The
/// wrapper has none.
enum class CommandFile : char {
  text = 'u',
  end = 'e',    ///< prints END
  hook = 'p',   ///< for the prompt after it
  taken = 't',  ///< bash also notes a line of its history there
  cancelled = 'c',
  signalled = 's',
  directory = 'd',
};

[[nodiscard]] inline std::string command_file(std::string_view nonce, CommandFile which) {
  return command_id_of(nonce) + static_cast<char>(which);
}

}  // namespace terminally
