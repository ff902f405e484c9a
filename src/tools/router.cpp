#include "tools/router.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text_guard.hpp"
#include "tools/results_json.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

const Tool* Router::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &Tool::name);
  return found == tools_.end() ? nullptr : &*found;
}

std::shared_ptr<TextGuard> Router::new_guard() const {
  return context_.redaction ? std::make_shared<TextGuard>(context_.redaction->secrets) : nullptr;
}

ordered_json Router::list() const {
  ordered_json tools = ordered_json::array();
  for (const Tool& tool : tools_) {
    ArgsSchema input;
    tool.describe_args(input);
    ResultSchema output;
    tool.describe_result(output);
    output.add_notes();
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
  const std::shared_ptr<TextGuard> guard = new_guard();
  ResultWriter writer(guard.get());
  ToolContext context = context_;
  context.default_view.guard = guard;
  context.progress = std::move(progress);
  context.on_begin = std::move(on_begin);
  context.client = std::move(client);
  try {
    co_await tool.call(std::move(context), reader, writer);
  } catch (const Error& error) {
    throw Error(error.code(), guard ? guard->text(error.what()) : error.what());
  }
  ordered_json result = std::move(writer.result());
  if (const std::string note = guard ? guard->note() : ""; !note.empty()) {
    result["notes"].push_back(note);
  }
  co_return result;
}

}  // namespace terminally
