#include "toolkit/router.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "secrets/text_guard.hpp"
#include "tmux/manager.hpp"
#include "toolkit/results_json.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// A tab's unique name is taken wherever its id is. What is neither stays, to be refused by whoever reads it.
boost::asio::awaitable<std::shared_ptr<const json>> with_tab_id(TmuxManager* manager,
                                                                std::shared_ptr<const json> arguments) {
  const auto given = arguments->find("window_id");
  if (manager == nullptr || given == arguments->end() || !given->is_string() ||
      parse_window_id(given->get_ref<const std::string&>())) {
    co_return arguments;
  }
  std::string name = given->get<std::string>();
  const std::optional<WindowId> window = co_await manager->tab_named(std::move(name));
  if (!window) {
    co_return arguments;
  }
  json changed = *arguments;
  changed["window_id"] = to_string(*window);
  co_return std::make_shared<const json>(std::move(changed));
}

}  // namespace

const Tool* Router::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &Tool::name);
  return found == tools_.end() ? nullptr : &*found;
}

std::shared_ptr<TextGuard> Router::new_guard() const {
  if (!context_.redaction) {
    return nullptr;
  }
  if (context_.manager != nullptr && !context_.redaction->variables.empty()) {
    context_.redaction->learn(context_.manager->new_tab_variables(context_.redaction->variables));
  }
  return std::make_shared<TextGuard>(context_.redaction->secrets);
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
                                                  Caller caller) const {
  const std::shared_ptr<TextGuard> guard = new_guard();
  ResultWriter writer(guard.get());
  ToolContext context = context_;
  context.default_view.guard = guard;
  context.caller = std::move(caller);
  try {
    arguments = co_await with_tab_id(context.manager, std::move(arguments));
    ArgsReader reader(*arguments);
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
