// Writes the configuration of each MCP client that starts this program.
#include "setup/client_snippets.hpp"

#include <nlohmann/json.hpp>

#include "shell/shell_text.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

constexpr const char* kServer = "terminally";

ordered_json arguments() {
  return ordered_json::array({"--view", "rendered"});
}

std::string config_file(const std::string& program, const char* key, bool with_type) {
  ordered_json server;
  if (with_type) {
    server["type"] = "stdio";
  }
  server["command"] = program;
  server["args"] = arguments();
  ordered_json file;
  file[key][kServer] = std::move(server);
  return file.dump(2) + "\n";
}

}  // namespace

std::string client_snippets(const std::string& program) {
  const std::string name = kServer;
  return "# Claude Code\n"
         "claude mcp add " +
         name + " -- " + shell_word(program) +
         " --view rendered\n"
         "\n# Claude Desktop: claude_desktop_config.json (Settings, Developer, Edit Config)\n" +
         config_file(program, "mcpServers", false) +
         "\n# Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in a project\n" +
         config_file(program, "mcpServers", false) + "\n# VS Code: .vscode/mcp.json\n" +
         config_file(program, "servers", true) +
         // A TOML basic string and a JSON string are written alike.
         "\n# Codex: ~/.codex/config.toml\n"
         "[mcp_servers." +
         name +
         "]\n"
         "command = " +
         ordered_json(program).dump() +
         "\n"
         "args = " +
         arguments().dump() + "\n";
}

}  // namespace terminally
