// Shapes results and lists as each protocol revision wants them.
#include "mcp/shape.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace terminally {
namespace {

using nlohmann::ordered_json;

ordered_json text_content(std::string_view text) {
  ordered_json block;
  block["type"] = "text";
  block["text"] = text;
  return ordered_json::array({std::move(block)});
}

}  // namespace

ordered_json tool_result(ordered_json object, Revision revision) {
  ordered_json result;
  result["content"] = text_content(object.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  if (revision >= Revision::v2025_06_18) {
    result["structuredContent"] = std::move(object);
  }
  return result;
}

ordered_json tool_error(std::string_view text) {
  ordered_json result;
  result["content"] = text_content(text);
  result["isError"] = true;
  return result;
}

ordered_json shape_tools(ordered_json tools, Revision revision) {
  for (ordered_json& tool : tools) {
    if (revision != Revision::v2025_11_25) {
      tool.erase("execution");  // no other revision has it
    }
    if (revision < Revision::v2025_06_18) {
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
