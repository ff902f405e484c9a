#include "tools/router.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/results_json.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

const Tool* Router::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &Tool::name);
  return found == tools_.end() ? nullptr : &*found;
}

ordered_json Router::list() const {
  ordered_json tools = ordered_json::array();
  for (const Tool& tool : tools_) {
    ArgsSchema input;
    tool.describe_args(input);
    ResultSchema output;
    tool.describe_result(output);
    ordered_json entry;
    entry["name"] = tool.name;
    entry["description"] = tool.description;
    entry["inputSchema"] = input.schema();
    entry["outputSchema"] = output.schema();
    entry["annotations"]["readOnlyHint"] = tool.annotations.read_only;
    entry["annotations"]["destructiveHint"] = tool.annotations.destructive;
    entry["annotations"]["idempotentHint"] = tool.annotations.idempotent;
    entry["annotations"]["openWorldHint"] = tool.annotations.open_world;
    if (tool.task_support != TaskSupport::none) {
      entry["execution"]["taskSupport"] = "optional";
    }
    tools.push_back(std::move(entry));
  }
  return tools;
}

boost::asio::awaitable<ordered_json> Router::call(const Tool& tool, std::shared_ptr<const json> arguments,
                                                  ReportProgress progress, BeganCallback on_begin,
                                                  std::string client) const {
  ArgsReader reader(*arguments);
  ResultWriter writer;
  ToolContext context = context_;
  context.progress = std::move(progress);
  context.on_begin = std::move(on_begin);
  context.client = std::move(client);
  co_await tool.call(std::move(context), reader, writer);
  co_return std::move(writer.result());
}

}  // namespace terminally
