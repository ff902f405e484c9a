#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "hosts/hosts_file.hpp"

namespace terminally {

/// What is said to a far side on its command line. Nothing of it comes from an agent, and nothing of it means
/// anything to a shell.
struct FarStart {
  std::string gateway;                    ///< who we are, for it: the same after a restart
  std::string nonce;                      ///< 32 hexadecimal digits
  std::string instance;                   ///< there
  std::vector<std::string> flags;         ///< of our configuration, that hold there as well
  std::uint64_t sync_window_ms = 55'000;  ///< as its flags say
  bool temporary = false;                 ///< its tabs end with us
};

/// The argv of a pipe to the program there, in gateway mode. `control`: the path of a control socket that ssh
/// keeps a connection by; empty: it makes a new one. Pure.
[[nodiscard]] Argv pipe_argv(const HostEntry& host, const FarStart& start,
                             const std::filesystem::path& control);

/// The argv of one of people's commands there: `words` as the program's own, its name left out, any bytes but
/// NUL. `terminal`: it draws on ours. Throws Error(invalid_argument) where the host has no way to a terminal.
[[nodiscard]] Argv relay_argv(const HostEntry& host, const std::vector<std::string>& words, bool terminal);

/// The argv that has a POSIX shell there run a script, without the single quotes and backslashes that login
/// shells read in their own ways. For `hosts push` alone: nothing else of ours needs a shell.
[[nodiscard]] Argv script_argv(const HostEntry& host, const std::string& script);

/// The words of relay_argv as they travel, in hexadecimal digits, and back. Throws Error(invalid_argument).
[[nodiscard]] std::string encode_words(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> decode_words(const std::string& text);

}  // namespace terminally
