#include "mcp/task_methods.hpp"

#include <nlohmann/json.hpp>

#include "base/timeout.hpp"
#include "mcp/extensions.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/params.hpp"
#include "mcp/task_views.hpp"
#include "mcp/tasks.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

/// What is over by then is answered at once: no client needs to poll for `ls`.
constexpr Milliseconds kAtOnce{500};

awaitable<TaskPtr> need_task(Server& server, const Call& call) {
  if (is_modern(call.revision)) {
    need_tasks_extension(*call.params);
  }
  const std::string& id = need_string(*call.params, "taskId");
  TaskPtr task = co_await server.tasks->find(id);
  if (!task) {
    throw ProtocolError(kInvalidParams, "Unknown task: " + id);
  }
  co_return task;
}

}  // namespace

bool becomes_task(const Call& call, const Tool& tool) {
  if (is_modern(call.revision)) {
    return tool.task_support != TaskSupport::none && has_tasks_extension(*call.params);
  }
  const auto asked = call.params->find("task");
  if (call.revision < Revision::v2025_11_25 || asked == call.params->end() || asked->is_null()) {
    return false;
  }
  if (!asked->is_object()) {
    throw ProtocolError(kInvalidParams, "Invalid params: task must be an object");
  }
  if (tool.task_support == TaskSupport::none) {
    throw ProtocolError(kMethodNotFound, "Tool " + std::string(tool.name) + " cannot be called as a task");
  }
  return true;
}

awaitable<ordered_json> call_as_task(Server& server, Call call, const Tool& tool,
                                     std::shared_ptr<const json> arguments) {
  const bool modern = is_modern(call.revision);
  TaskRequest request{tool, std::move(arguments), call.progress, call.client, !modern};
  const TaskPtr task = server.tasks->begin(std::move(request));
  call.undo_if_cancelled([tasks = server.tasks, task] { tasks->give_up(task); });
  co_await server.tasks->announce(task);
  if (!modern) {
    if (task->refused) {
      server.tasks->give_up(task);
      throw ProtocolError(kInvalidParams, task->error_text);
    }
    ordered_json result;
    result["task"] = legacy_task(*task, {});
    result["task"]["status"] = "working";  // as every task begins
    result["task"].erase("statusMessage");
    co_return result;
  }
  if (co_await finish_by(Clock::now() + kAtOnce, task->over.wait())) {
    co_return task_outcome(*task, call.revision);
  }
  ordered_json result;
  result["resultType"] = "task";
  result.update(modern_task(*task, {}));
  co_return result;
}

awaitable<ordered_json> get_task(Server& server, Call call) {
  const TaskPtr task = co_await need_task(server, call);
  const std::string text = co_await server.tasks->progress_text(task);
  co_return is_modern(call.revision) ? modern_task(*task, text) : legacy_task(*task, text);
}

awaitable<ordered_json> get_task_result(Server& server, Call call) {
  const TaskPtr task = co_await need_task(server, call);
  co_await task->over.wait();
  ordered_json result = task_outcome(*task, call.revision);
  result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] = task->id;
  co_return result;
}

awaitable<ordered_json> list_tasks(Server& server, Call call) {
  refuse_cursor(*call.params);
  ordered_json result;
  result["tasks"] = ordered_json::array();
  for (const TaskPtr& task : server.tasks->list()) {
    result["tasks"].push_back(legacy_task(*task, {}));
  }
  co_return result;
}

/// No task of ours asks its client for anything.
awaitable<ordered_json> update_task(Server& server, Call call) {
  co_await need_task(server, call);
  static_cast<void>(object_or_empty(*call.params, "inputResponses"));
  co_return ordered_json::object();
}

awaitable<ordered_json> cancel_task(Server& server, Call call) {
  const TaskPtr task = co_await need_task(server, call);
  if (is_modern(call.revision)) {
    server.tasks->begin_cancel(task);
    co_return ordered_json::object();
  }
  if (!task->over.is_set()) {
    co_await server.tasks->cancel(task);
    if (task_status(*task, call.revision) == "cancelled") {
      co_return legacy_task(*task, {});
    }
  }
  throw ProtocolError(kInvalidParams, "Task " + task->id + " is over already: " +
                                          std::string(task_status(*task, call.revision)));
}

}  // namespace terminally
