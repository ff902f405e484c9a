// Reads the params of requests, with an error that names what is wrong.
// Shapes results and lists as each protocol revision wants them.

#include "mcp/params.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "json/json_rpc.hpp"

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

std::optional<std::string> client_name(const json& params, const char* name) {
  constexpr std::size_t kLongest = 100;
  const auto info = params.find(name);
  if (info == params.end() || !info->is_object()) {
    return std::nullopt;
  }
  std::string text;
  for (const char* part : {"name", "version"}) {
    if (const auto found = info->find(part); found != info->end() && found->is_string()) {
      text += (text.empty() ? "" : " ") + found->get<std::string>();
    }
  }
  text = whole_characters(text, kLongest);
  return text.empty() || has_control_characters(text) ? std::nullopt : std::optional(text);
}

std::optional<std::string> modern_client_name(const json& params) {
  const auto meta = params.find("_meta");
  return meta != params.end() && meta->is_object() ? client_name(*meta, "io.modelcontextprotocol/clientInfo")
                                                   : std::nullopt;
}

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

void refuse_cursor(const json& params) {
  const auto cursor = params.find("cursor");
  if (cursor != params.end() && !cursor->is_null()) {
    throw ProtocolError(kInvalidParams, "Invalid params: unknown cursor; everything is on one page");
  }
}

namespace {

using nlohmann::ordered_json;

ordered_json text_content(std::string_view text) {
  ordered_json block;
  block["type"] = "text";
  block["text"] = text;
  return ordered_json::array({std::move(block)});
}

}  // namespace

ordered_json tool_result(Answer answer, Revision revision) {
  ordered_json result;
  if (!answer.text.empty()) {
    result["content"] = text_content(answer.text);
    return result;
  }
  result["content"] = text_content(answer.object.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  if (revision >= Revision::v2025_06_18) {
    result["structuredContent"] = std::move(answer.object);
  }
  return result;
}

ordered_json tool_error(std::string_view text) {
  ordered_json result;
  result["content"] = text_content(text);
  result["isError"] = true;
  return result;
}

ordered_json shape_tools(ordered_json tools, Revision revision, AnswerForm answers) {
  for (ordered_json& tool : tools) {
    if (revision != Revision::v2025_11_25) {
      tool.erase("execution");  // no other revision has it
    }
    if (revision < Revision::v2025_06_18 || answers == AnswerForm::text) {
      tool.erase("outputSchema");
    }
    if (revision < Revision::v2025_03_26) {
      tool.erase("annotations");
    }
  }
  return tools;
}

ordered_json without_titles(ordered_json entries, Revision revision) {
  for (ordered_json& entry : entries) {
    if (revision < Revision::v2025_06_18) {
      entry.erase("title");
    }
  }
  return entries;
}

void add_cache_hints(ordered_json& result, Revision revision, Lifetime lifetime) {
  constexpr int kTtlMs = 300'000;
  if (is_modern(revision)) {
    result["ttlMs"] = lifetime == Lifetime::server ? kTtlMs : 0;
    result["cacheScope"] = "private";
  }
}

void decorate(ordered_json& result, const Implementation& server, Revision revision) {
  if (is_modern(revision)) {
    if (!result.contains("resultType")) {
      result["resultType"] = "complete";
    }
    ordered_json& info = result["_meta"]["io.modelcontextprotocol/serverInfo"];
    info["name"] = server.name;
    info["version"] = server.version;
  }
}

}  // namespace terminally
