// Writes what a person adds to the configuration of each MCP client by hand.
#include "setup/client_snippets.hpp"

#include "setup/client_entry.hpp"
#include "shell/shell_text.hpp"

namespace terminally {

std::string client_snippet(const McpClient& client, const ClientPlaces& places, const std::string& entry) {
  return "# " + std::string(client.title) + ": " + configuration_of(client, places).string() + "\n" + entry;
}

std::string client_snippets(const ClientPlaces& places, const std::string& program) {
  std::string command = std::string("claude mcp add ") + kServerName + " --";
  for (const std::string& word : words_to_start(program)) {
    command += " " + shell_word(word);
  }
  for (const std::string& argument : client_arguments()) {
    command += " " + argument;
  }
  std::string text = "# Claude Code, by its own command\n" + command + "\n";
  for (const McpClient& client : all_clients()) {
    text += "\n" + client_snippet(client, places, with_entry(client, std::nullopt, program, false));
  }
  return text;
}

}  // namespace terminally
