#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "hosts/call_limits.hpp"
#include "hosts/hosts_file.hpp"

namespace terminally {

/// Parameters on a far side's command line. None comes from an agent or has a character special to a shell.
struct FarStart {
  std::string gateway;             ///< id of this gateway, the same after a restart
  std::string nonce;               ///< 32 hexadecimal digits
  std::string instance;            ///< on the far side
  std::vector<std::string> flags;  ///< flags of this configuration that hold there as well
  CallLimits limits;               ///< as `flags` say
  bool temporary = false;          ///< the tabs there end with this gateway
};

/// The argv of a pipe to the program there, in gateway mode. `control` is the control socket over which ssh
/// shares a connection; empty: a new connection. Pure.
[[nodiscard]] Argv pipe_argv(const HostEntry& host, const FarStart& start,
                             const std::filesystem::path& control);

/// The argv that runs a person's command there. `words` are the program's arguments, of any bytes but NUL.
/// With `terminal` it gets one, and throws Error(invalid_argument) where the host has no way to a terminal.
[[nodiscard]] Argv relay_argv(const HostEntry& host, const std::vector<std::string>& words, bool terminal);

/// The argv that has a POSIX shell there run `script`, which must have no single quotes or backslashes: login
/// shells read those differently. For `hosts push` alone; nothing else needs a shell.
[[nodiscard]] Argv script_argv(const HostEntry& host, const std::string& script);

/// Words of any bytes but NUL as hexadecimal digits, and back. decode_words throws Error(invalid_argument).
[[nodiscard]] std::string encode_words(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> decode_words(const std::string& text);

}  // namespace terminally
