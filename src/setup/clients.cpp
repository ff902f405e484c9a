// The clients that setup knows: where their configuration is, and how it is written.
#include "setup/clients.hpp"

#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "files/project.hpp"

namespace terminally {
namespace {

using Format = McpClient::Format;

// As the clients' own documents have it in November 2026.
const std::array<McpClient, 9> kClients = {{
    {"claude",
     "Claude Code",
     Format::json,
     "mcpServers",
     {"CLAUDE_CONFIG_DIR=.claude.json", "~/.claude.json"},
     {".mcp.json"},
     {"CLAUDE_CONFIG_DIR=CLAUDE.md", "~/.claude/CLAUDE.md"},
     "CLAUDE.md",
     "",
     "mcp__terminally",
     {"CLAUDE_CONFIG_DIR=settings.json", "~/.claude/settings.json"},
     ".claude/settings.json",
     {"http", "url", "headers", "${TERMINALLY_TOKEN}"}},
    {"claude-desktop",
     "Claude Desktop",
     Format::json,
     "mcpServers",
     {"{apps}/Claude/claude_desktop_config.json"},
     {},
     {},
     "",
     "",
     "",
     {},
     "",
     {"", "", "", ""}},
    {"cursor",
     "Cursor",
     Format::json,
     "mcpServers",
     {"~/.cursor/mcp.json"},
     {".cursor/mcp.json"},
     {},
     "AGENTS.md",
     "",
     "",
     {},
     "",
     {"", "url", "headers", "${env:TERMINALLY_TOKEN}"}},
    {"vscode",
     "VS Code",
     Format::typed_json,
     "servers",
     {"{apps}/Code/User/mcp.json", "{apps}/Code - Insiders/User/mcp.json", "{apps}/VSCodium/User/mcp.json"},
     {".vscode/mcp.json"},
     {},
     "AGENTS.md",
     "",
     "",
     {},
     "",
     {"http", "url", "headers", "${env:TERMINALLY_TOKEN}"}},
    {"codex",
     "Codex",
     Format::toml,
     "mcp_servers",
     {"CODEX_HOME=config.toml", "~/.codex/config.toml"},
     {".codex/config.toml"},
     {"CODEX_HOME=AGENTS.md", "~/.codex/AGENTS.md"},
     "AGENTS.md",
     "default_tools_approval_mode",
     "\"approve\"",
     {},
     "",
     {"", "url", "http_headers", "bearer_token_env_var"}},
    {"gemini",
     "Gemini CLI",
     Format::json,
     "mcpServers",
     {"~/.gemini/settings.json"},
     {".gemini/settings.json"},
     {"~/.gemini/GEMINI.md"},
     "GEMINI.md",
     "trust",
     "true",
     {},
     "",
     {"", "httpUrl", "headers", "${TERMINALLY_TOKEN}"}},
    {"zed",
     "Zed",
     Format::json,
     "context_servers",
     {"{config}/zed/settings.json"},
     {".zed/settings.json"},
     {},
     "AGENTS.md",
     "",
     "",
     {},
     "",
     {"", "url", "headers", ""}},
    {"windsurf",
     "Windsurf",
     Format::json,
     "mcpServers",
     {"~/.codeium/windsurf/mcp_config.json"},
     {},
     {},
     "AGENTS.md",
     "",
     "",
     {},
     "",
     {"", "serverUrl", "headers", ""}},
    {"opencode",
     "opencode",
     Format::one_array,
     "mcp",
     {"{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"},
     {"opencode.json", "opencode.jsonc"},
     {"{config}/opencode/AGENTS.md"},
     "AGENTS.md",
     "",
     "",
     {},
     "",
     {"remote", "url", "headers", "{env:TERMINALLY_TOKEN}"}},
}};

std::string set_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

/// Empty where the variable that it is named by is not set.
std::filesystem::path expanded(const std::string& file, const std::filesystem::path& home) {
  const std::string chosen = set_variable("XDG_CONFIG_HOME");
  const std::filesystem::path config =
      chosen.starts_with('/') ? std::filesystem::path(chosen) : home / ".config";
#ifdef __APPLE__
  const std::filesystem::path apps = home / "Library/Application Support";
#else
  const std::filesystem::path& apps = config;
#endif
  if (file.starts_with("~/")) {
    return home / file.substr(2);
  }
  if (file.starts_with('{')) {
    const std::size_t slash = file.find('/');
    return (file.starts_with("{apps}") ? apps : config) / file.substr(slash + 1);
  }
  const std::size_t equals = file.find('=');
  const std::string directory = set_variable(file.substr(0, equals));
  return directory.empty() ? std::filesystem::path()
                           : std::filesystem::path(directory) / file.substr(equals + 1);
}

}  // namespace

std::span<const McpClient> all_clients() {
  return kClients;
}

const McpClient& client_named(std::string_view name) {
  std::string names;
  for (const McpClient& client : kClients) {
    if (client.name == name) {
      return client;
    }
    names += (names.empty() ? "" : ", ") + std::string(client.name);
  }
  throw Error(ErrorCode::invalid_argument,
              "\"" + std::string(name) + "\" is no client that setup knows; it knows " + names);
}

ClientPlaces client_places(const std::string& directory) {
  ClientPlaces places{std::getenv("HOME"), {}};
  if (!directory.empty()) {
    const std::filesystem::path whole = std::filesystem::canonical(directory);
    const std::filesystem::path root = project_of(whole, places.home);
    places.project = root.empty() ? whole : root;
  }
  return places;
}

std::filesystem::path place_of_file(const std::vector<const char*>& files,
                                    const std::filesystem::path& home) {
  std::vector<std::filesystem::path> places;
  for (const char* file : files) {
    const bool is_in_project = std::string_view("~{").find(*file) == std::string_view::npos &&
                               std::string_view(file).find('=') == std::string_view::npos;
    std::filesystem::path place = is_in_project ? home / file : expanded(file, home);
    if (!place.empty()) {
      places.push_back(std::move(place));
    }
    if (!places.empty() && std::string_view(file).find('=') != std::string_view::npos) {
      break;  // a directory that the user named
    }
  }
  std::error_code error;
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::exists(std::filesystem::symlink_status(place, error))) {
      return place;
    }
  }
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::is_directory(place.parent_path(), error)) {
      return place;
    }
  }
  return places.empty() ? std::filesystem::path() : places.front();
}

std::filesystem::path configuration_of(const McpClient& client, const ClientPlaces& places) {
  if (places.project.empty()) {
    return place_of_file(client.user, places.home);
  }
  if (client.project.empty()) {
    throw Error(ErrorCode::invalid_argument,
                std::string(client.title) + " has no configuration for projects; leave --project away");
  }
  return place_of_file(client.project, places.project);
}

std::filesystem::path advice_of(const McpClient& client, const ClientPlaces& places) {
  if (places.project.empty()) {
    return place_of_file(client.user_advice, places.home);
  }
  return *client.project_advice == '\0' ? std::filesystem::path() : places.project / client.project_advice;
}

std::filesystem::path allowance_of(const McpClient& client, const ClientPlaces& places) {
  if (places.project.empty()) {
    return place_of_file(client.user_allow, places.home);
  }
  return *client.project_allow == '\0' ? std::filesystem::path() : places.project / client.project_allow;
}

}  // namespace terminally
