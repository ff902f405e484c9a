#include "mcp/extensions.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "mcp/json_rpc.hpp"

namespace terminally {

using nlohmann::json;

bool has_tasks_extension(const json& params) {
  const json* at = &params;
  for (const char* name :
       {"_meta", "io.modelcontextprotocol/clientCapabilities", "extensions", kTasksExtension}) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (found == at->end()) {
      return false;
    }
    at = &*found;
  }
  return at->is_object();
}

void need_tasks_extension(const json& params) {
  if (!has_tasks_extension(params)) {
    json data;
    data["requiredCapabilities"]["extensions"][kTasksExtension] = json::object();
    throw ProtocolError(kMissingClientCapability,
                        std::string("The client must declare the extension ") + kTasksExtension, data.dump());
  }
}

}  // namespace terminally
