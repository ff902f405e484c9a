// Answers tools/call as a task, and the methods of tasks.
#include "mcp/task_methods.hpp"

#include <nlohmann/json.hpp>

#include "base/timeout.hpp"
#include "json/json_rpc.hpp"
#include "mcp/params.hpp"
#include "mcp/peer.hpp"
#include "mcp/task.hpp"
#include "mcp/tasks.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

/// A task that is over within this time is answered by its result: no client needs to poll for `ls`.
constexpr Milliseconds kAtOnce{500};

awaitable<TaskPtr> need_task(Peer& peer, ExchangePtr exchange) {
  if (is_modern(exchange->revision())) {
    need_tasks_extension(*exchange->params());
  }
  const std::string& id = need_string(*exchange->params(), "taskId");
  TaskPtr task = co_await peer.core().tasks->find(id, peer.settings());
  if (!task) {
    throw ProtocolError(kInvalidParams, "Unknown task: " + id + "; it never existed, or its record is gone");
  }
  co_return task;
}

}  // namespace

bool becomes_task(const Exchange& exchange, const Tool& tool) {
  if (is_modern(exchange.revision())) {
    return tool.traits.task_support != TaskSupport::none && has_tasks_extension(*exchange.params());
  }
  const auto asked = exchange.params()->find("task");
  if (exchange.revision() < Revision::v2025_11_25 || asked == exchange.params()->end() || asked->is_null()) {
    return false;
  }
  if (!asked->is_object()) {
    throw ProtocolError(kInvalidParams, "Invalid params: task must be an object");
  }
  if (tool.traits.task_support == TaskSupport::none) {
    throw ProtocolError(kMethodNotFound, "Tool " + std::string(tool.name) + " cannot be called as a task");
  }
  return true;
}

awaitable<ordered_json> call_as_task(Peer& peer, ExchangePtr exchange, const Tool& tool,
                                     std::shared_ptr<const json> arguments) {
  const bool modern = is_modern(exchange->revision());
  TaskRequest request{tool,
                      std::move(arguments),
                      exchange->progress(),
                      peer.settings(),
                      exchange->client(),
                      modern ? nullptr : peer.outlet()};
  const TaskPtr task = peer.core().tasks->begin(std::move(request));
  exchange->undo_if_cancelled([tasks = peer.core().tasks, task] { tasks->give_up(task); });
  co_await peer.core().tasks->announce(task);
  if (!modern) {
    if (task->refused) {
      peer.core().tasks->give_up(task);
      throw ProtocolError(kInvalidParams, task->error_text);
    }
    ordered_json result;
    result["task"] = legacy_task(*task, {});
    result["task"]["status"] = "working";  // as every task begins
    result["task"].erase("statusMessage");
    co_return result;
  }
  if (co_await run_until(Clock::now() + kAtOnce, task->over.wait())) {
    co_return task_outcome(*task, exchange->revision());
  }
  ordered_json result;
  result["resultType"] = "task";
  result.update(modern_task(*task, {}));
  co_return result;
}

awaitable<ordered_json> get_task(Peer& peer, ExchangePtr exchange) {
  const TaskPtr task = co_await need_task(peer, exchange);
  const std::string text = co_await peer.core().tasks->progress_text(task);
  co_return is_modern(exchange->revision()) ? modern_task(*task, text) : legacy_task(*task, text);
}

awaitable<ordered_json> get_task_result(Peer& peer, ExchangePtr exchange) {
  const TaskPtr task = co_await need_task(peer, exchange);
  co_await task->over.wait();
  ordered_json result = task_outcome(*task, exchange->revision());
  result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] = task->id;
  co_return result;
}

awaitable<ordered_json> list_tasks(Peer& peer, ExchangePtr exchange) {
  refuse_cursor(*exchange->params());
  ordered_json result;
  result["tasks"] = ordered_json::array();
  for (const TaskPtr& task : peer.core().tasks->list(peer.settings()->identity)) {
    result["tasks"].push_back(legacy_task(*task, {}));
  }
  co_return result;
}

/// Accepts and ignores input: no task of this server asks its client for any.
awaitable<ordered_json> update_task(Peer& peer, ExchangePtr exchange) {
  co_await need_task(peer, exchange);
  static_cast<void>(object_or_empty(*exchange->params(), "inputResponses"));
  co_return ordered_json::object();
}

awaitable<ordered_json> cancel_task(Peer& peer, ExchangePtr exchange) {
  if (peer.settings()->only_looks) {
    throw ProtocolError(kInvalidParams, "tasks/cancel acts, and this client's token may only look");
  }
  const TaskPtr task = co_await need_task(peer, exchange);
  if (is_modern(exchange->revision())) {
    peer.core().tasks->begin_cancel(task);
    co_return ordered_json::object();
  }
  if (!task->over.is_set()) {
    co_await peer.core().tasks->cancel(task);
    if (task_status(*task, exchange->revision()) == "cancelled") {
      co_return legacy_task(*task, {});
    }
  }
  throw ProtocolError(kInvalidParams, "Task " + task->id + " has already ended: " +
                                          std::string(task_status(*task, exchange->revision())));
}

}  // namespace terminally
