// Builds the argv of a pipe to a host: by ssh, or by the command of hosts.json.
#include "hosts/pipe_command.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

void add(Argv& argv, std::initializer_list<std::string> words) {
  argv.insert(argv.end(), words);
}

/// Sets only what a pipe needs; the user's own configuration and host keys stay in force. BatchMode keeps ssh
/// from asking questions, as nobody could answer them.
Argv ssh_argv(const HostEntry& host, const std::filesystem::path& control, bool terminal) {
  Argv argv = {"ssh"};
  if (!host.ssh_config.empty()) {
    add(argv, {"-F", host.ssh_config});
  }
  if (terminal) {
    add(argv, {"-t", "-o", "LogLevel=ERROR"});
  } else {
    add(argv, {"-T", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"});
  }
  add(argv, {"-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"});
  add(argv, {"-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes"});
  if (control.empty()) {
    add(argv, {"-o", "ControlMaster=no", "-o", "ControlPath=none"});
  } else {
    add(argv,
        {"-o", "ControlMaster=auto", "-o", "ControlPath=" + control.string(), "-o", "ControlPersist=60"});
  }
  add(argv, {"--", host.ssh});
  return argv;
}

/// No word has a character special to a shell: ssh joins them for the user's shell, which execs the program.
Argv with_program(const HostEntry& host, Argv argv, std::vector<std::string> words) {
  if (host.ssh.empty()) {
    argv.push_back(host.program);
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  std::string line = "exec " + host.program;
  for (const std::string& word : words) {
    line += " " + word;
  }
  argv.push_back(std::move(line));
  return argv;
}

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

Argv pipe_argv(const HostEntry& host, const FarStart& start, const std::filesystem::path& control) {
  std::vector<std::string> words = {"gateway", start.gateway, start.nonce, "--instance", start.instance};
  words.insert(words.end(), start.flags.begin(), start.flags.end());
  if (start.temporary) {
    words.emplace_back("--temporary");
  }
  if (!host.state_dir.empty()) {
    words.insert(words.end(), {"--state-dir", host.state_dir});
  }
  if (!host.file_roots.empty()) {
    words.emplace_back("--roots");
    words.push_back(encode_words(host.file_roots));  // carries any bytes past a shell
  }
  return with_program(host, host.ssh.empty() ? host.command : ssh_argv(host, control, false),
                      std::move(words));
}

Argv relay_argv(const HostEntry& host, const std::vector<std::string>& words, bool terminal) {
  if (terminal && host.ssh.empty() && host.terminal.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        "host " + host.name +
            " has no terminal command: give it one with hosts add --terminal, as in \"docker exec -it "
            "web\", or \"terminal\" in hosts.json");
  }
  const Argv& command = terminal ? host.terminal : host.command;
  std::vector<std::string> there = words;
  if (!host.state_dir.empty()) {
    there.insert(there.begin(), {"--state-dir", host.state_dir});
  }
  return with_program(host, host.ssh.empty() ? command : ssh_argv(host, {}, terminal),
                      {"relay", "--as", host.name, encode_words(there)});
}

Argv script_argv(const HostEntry& host, const std::string& script) {
  Argv argv = host.ssh.empty() ? host.command : ssh_argv(host, {}, false);
  if (host.ssh.empty()) {
    add(argv, {"sh", "-c", script});
  } else {
    argv.push_back("exec sh -c '" + script + "'");
  }
  return argv;
}

std::string encode_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    for (const char c : word + '\0') {
      const auto byte = static_cast<unsigned char>(c);
      text.push_back(kDigits[byte >> 4U]);
      text.push_back(kDigits[byte & 15U]);
    }
  }
  return text;
}

std::vector<std::string> decode_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = kDigits.find(text[i]);
    const std::size_t low = i + 1 < text.size() ? kDigits.find(text[i + 1]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos) {
      throw Error(ErrorCode::invalid_argument, "relay: not what another terminally-mcp sends");
    }
    const auto byte = static_cast<char>(high * 16 + low);
    if (byte == '\0') {
      words.push_back(std::exchange(word, {}));
    } else {
      word.push_back(byte);
    }
  }
  if (!word.empty() || words.empty()) {
    throw Error(ErrorCode::invalid_argument, "relay: not what another terminally-mcp sends");
  }
  return words;
}

}  // namespace terminally
