#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// What this program is called in the configuration of a client.
inline constexpr const char* kServerName = "terminally";

/// The variable that has the token where a file may not: one of a project.
inline constexpr const char* kTokenVariable = "TERMINALLY_TOKEN";

/// How the entry of a server that is reached over HTTP is written.
struct HttpForm {
  const char* type;     ///< the value of "type"; empty: it has none
  const char* url;      ///< the field of the address; empty: the client's file takes none
  const char* headers;  ///< the field that has the headers
  const char*
      variable;  ///< what stands for kTokenVariable in a header, in TOML the field that names it; or empty
};

/// A program that starts MCP servers, and how its configuration is written. Paths of a user begin with "~/",
/// "{config}/" (XDG_CONFIG_HOME) or "{apps}/" (the same; on macOS ~/Library/Application Support); "NAME=path"
/// names a file in the directory of that variable, where it is set. Of several, the first that is there
/// counts.
struct McpClient {
  enum class Format {
    json,        ///< {"command": "...", "args": [...]}
    typed_json,  ///< the same with "type": "stdio"
    one_array,   ///< {"type": "local", "command": ["...", ...]}
    toml,        ///< command = "...", in a table
  };
  std::string_view name;
  std::string_view title;
  Format format;
  std::string_view servers;              ///< the key that has the servers
  std::vector<const char*> user;         ///< its configuration for a user
  std::vector<const char*> project;      ///< for a project, below its directory; empty: it has none
  std::vector<const char*> user_advice;  ///< where a user tells agents what to do; empty: in no file
  const char* project_advice;            ///< the same below a project; empty: in none
  /// What allows its tools without asking: a field of the entry, as JSON, or a file for Claude Code.
  const char* allow_field;
  const char* allow_value;
  std::vector<const char*> user_allow;
  const char* project_allow;
  HttpForm http;
};

[[nodiscard]] std::span<const McpClient> all_clients();

/// Throws Error(invalid_argument) that lists the names.
[[nodiscard]] const McpClient& client_named(std::string_view name);

/// Where files of clients are: below the home directory of the user, or in a project.
struct ClientPlaces {
  std::filesystem::path home;
  std::filesystem::path project;  ///< empty: for the user
};

/// Those of the user (HOME), or of the project that this directory is in, where one is given.
[[nodiscard]] ClientPlaces client_places(const std::string& directory);

/// The first of these files that is there, else the first in a directory that is there, else the first.
/// Empty where there are none.
[[nodiscard]] std::filesystem::path place_of_file(const std::vector<const char*>& files,
                                                  const std::filesystem::path& home);

/// Throws Error(invalid_argument) for a project where the client has no configuration for projects.
[[nodiscard]] std::filesystem::path configuration_of(const McpClient& client, const ClientPlaces& places);
/// Empty: in no file.
[[nodiscard]] std::filesystem::path advice_of(const McpClient& client, const ClientPlaces& places);
[[nodiscard]] std::filesystem::path allowance_of(const McpClient& client, const ClientPlaces& places);

}  // namespace terminally
