#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "setup/clients.hpp"
#include "setup/config_text.hpp"
#include "setup/http_entry.hpp"

namespace terminally {

// The entry of this program in the configuration of a client. Pure. All functions throw Error as json_edit
// and toml_edit.

/// What a client is told to pass today. Every snippet and every entry has it from here.
[[nodiscard]] const std::vector<std::string>& client_arguments();

/// What a client starts this program with: its path, or npx where npx has put it, as what lies there goes.
[[nodiscard]] std::vector<std::string> words_to_start(const std::string& program);

/// What an entry makes the client start, or where it has the client go.
struct StartedServer {
  std::vector<std::string> argv;
  std::string url;                                 ///< of `serve`; empty: the client starts argv
  std::string token;                               ///< for `url`; empty: the client has it from a variable
  std::map<std::string, std::string> environment;  ///< added to the client's
  bool is_disabled = false;
  std::string not_ours;  ///< why the entry is not one of this program; empty: it is
};

/// nullopt where the configuration has no entry of our name. `program` is this one's path.
[[nodiscard]] std::optional<StartedServer> server_in(const McpClient& client, const ConfigText& text,
                                                     const std::string& program);

/// Adds the entry that starts this program, or mends it: the program becomes `program`, and what earlier
/// versions passed is replaced. Arguments and fields that a person added stay; of an entry that was for HTTP,
/// whether it is switched off and what needs no asking. `allow`: its tools are called without asking. Throws
/// Error(invalid_argument) where the entry of our name is somebody else's, as without_entry does.
[[nodiscard]] std::string with_entry(const McpClient& client, const ConfigText& text,
                                     const std::string& program, bool allow);

/// The same for an entry that is reached over HTTP. Throws also as refuse_without_http.
[[nodiscard]] std::string with_http_entry(const McpClient& client, const ConfigText& text,
                                          const std::string& program, const HttpWish& wish, bool allow);

[[nodiscard]] ConfigText without_entry(const McpClient& client, const ConfigText& text,
                                       const std::string& program);

/// Whether the client can be told in its entry that the tools need no asking.
[[nodiscard]] bool allows_in_entry(const McpClient& client);

/// The list in the settings of Claude Code of what needs no asking.
[[nodiscard]] std::string with_allowance(const McpClient& client, const ConfigText& text);
[[nodiscard]] ConfigText without_allowance(const McpClient& client, const ConfigText& text);

/// The lines for CLAUDE.md and AGENTS.md that make an agent use the tools, between two marks.
[[nodiscard]] std::string with_advice(const ConfigText& text);
[[nodiscard]] ConfigText without_advice(const ConfigText& text);

}  // namespace terminally
