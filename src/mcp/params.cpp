#include "mcp/params.hpp"

#include <nlohmann/json.hpp>

#include "mcp/json_rpc.hpp"

namespace terminally {

using nlohmann::json;

const std::string& need_string(const json& params, const char* name) {
  const auto found = params.find(name);
  if (found == params.end() || !found->is_string()) {
    throw ProtocolError(kInvalidParams, std::string("Invalid params: ") + name + " must be a string");
  }
  return found->get_ref<const std::string&>();
}

const json& object_or_empty(const json& params, const char* name) {
  static const json empty = json::object();
  const auto found = params.find(name);
  if (found == params.end() || found->is_null()) {
    return empty;
  }
  if (!found->is_object()) {
    throw ProtocolError(kInvalidParams, std::string("Invalid params: ") + name + " must be an object");
  }
  return *found;
}

std::map<std::string, std::string> string_map(const json& params, const char* name) {
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : object_or_empty(params, name).items()) {
    if (!value.is_string()) {
      throw ProtocolError(kInvalidParams,
                          std::string("Invalid params: ") + name + "." + key + " must be a string");
    }
    values[key] = value.get<std::string>();
  }
  return values;
}

void refuse_cursor(const json& params) {
  const auto cursor = params.find("cursor");
  if (cursor != params.end() && !cursor->is_null()) {
    throw ProtocolError(kInvalidParams, "Invalid params: unknown cursor; everything is on one page");
  }
}

}  // namespace terminally
