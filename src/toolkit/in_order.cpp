// Sorts tools by name, after a harmless first one.
#include "toolkit/in_order.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "toolkit/args.hpp"

namespace terminally {
namespace {

bool is_harmless(const Tool& tool) {
  if (!tool.annotations.read_only || tool.annotations.open_world) {
    return false;
  }
  ArgsSchema schema;
  tool.describe_args(schema);
  return schema.schema()["properties"].empty();
}

}  // namespace

std::vector<Tool> in_order(std::vector<Tool> tools) {
  std::ranges::sort(tools, {}, &Tool::name);
  if (const auto first = std::ranges::find_if(tools, is_harmless); first != tools.end()) {
    std::rotate(tools.begin(), first, first + 1);
  }
  return tools;
}

}  // namespace terminally
