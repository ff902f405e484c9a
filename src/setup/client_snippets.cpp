// Writes what a person adds to the configuration of each MCP client by hand.
#include "setup/client_snippets.hpp"

namespace terminally {

std::string client_snippet(const McpClient& client, const ClientPlaces& places, const std::string& entry) {
  return "# " + std::string(client.title) + ": " + configuration_of(client, places).string() + "\n" + entry;
}

}  // namespace terminally
