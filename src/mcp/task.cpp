// Makes and parses the ids of tasks.
// Shows a task as the JSON of each protocol revision.

#include "mcp/task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/json_rpc.hpp"
#include "mcp/params.hpp"
#include "toolkit/answers.hpp"

namespace terminally {

namespace {

constexpr std::string_view kPrefix = "task-";

bool is_key(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return text.size() == 2 * kTaskKeyBytes && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Cuts off and returns the text before the next dash, with the dash; the whole text where there is no dash.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find('-'));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

TaskPtr task_there(std::string_view host, std::string_view key) {
  if (host.empty() || !is_key(key)) {
    return nullptr;
  }
  auto task = std::make_shared<Task>();
  task->host = host;
  task->key = key;
  task->found_there = true;
  task->id = task_id(*task);
  return task;
}

}  // namespace

std::string task_id(const Task& task) {
  std::string id(kPrefix);
  if (task.command) {
    id += to_string(task.command->window) + "-" + task.command->id + "-";
  } else if (!task.host.empty()) {
    id += task.host + ":";
  }
  return id + task.key;
}

TaskPtr parse_task_id(std::string_view id) {
  std::string_view rest = id.substr(id.starts_with(kPrefix) ? kPrefix.size() : id.size());
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    return task_there(rest.substr(0, colon), rest.substr(colon + 1));
  }
  const auto window = parse_window_id(take_word(rest));
  const std::string_view command = take_word(rest);
  if (!window || command.empty() || !is_key(rest)) {
    return nullptr;
  }
  auto task = std::make_shared<Task>();
  task->key = rest;
  task->command = Task::Command{*window, std::string(command)};
  task->id = task_id(*task);
  return task->id == id ? task : nullptr;
}

namespace {

using nlohmann::ordered_json;

constexpr int kPollMs = 500;

std::string status_message(const Task& task, const std::string& progress_text) {
  if (!task.over.is_set()) {
    return progress_text;
  }
  if (!task.error_text.empty()) {
    return task.error_text;
  }
  const auto code = task.answer.object.find("exit_code");
  const bool has_code = code != task.answer.object.end() && code->is_number_integer();
  const auto given = task.answer.object.find("reason");  // null in a verbose result without a reason
  const bool has_reason = given != task.answer.object.end() && given->is_string();
  const std::string reason = has_reason ? given->get<std::string>() : "";
  const std::string exit = has_code ? "exit code " + std::to_string(code->get<int>()) : "";
  return exit + (exit.empty() || reason.empty() ? "" : ", ") + reason;
}

ordered_json common(const Task& task, Revision revision, const std::string& progress_text) {
  ordered_json view;
  view["taskId"] = task.id;
  view["status"] = task_status(task, revision);
  if (std::string message = status_message(task, progress_text); !message.empty()) {
    view["statusMessage"] = std::move(message);
  }
  view["createdAt"] = iso_time(task.created_ms);
  view["lastUpdatedAt"] = iso_time(task.updated_ms);
  return view;
}

}  // namespace

std::string_view task_status(const Task& task, Revision revision) {
  if (!task.over.is_set()) {
    return "working";
  }
  if (task.aborted) {
    return "cancelled";
  }
  if (task.fault || (!task.error_text.empty() && !is_modern(revision))) {
    return "failed";
  }
  const auto reason = task.answer.object.find("reason");
  const bool cancelled = reason != task.answer.object.end() &&
                         (*reason == "cancelled_by_client" || *reason == "cancelled_by_person");
  return cancelled ? "cancelled" : "completed";
}

ordered_json legacy_task(const Task& task, const std::string& progress_text) {
  ordered_json view = common(task, kNewestLegacy, progress_text);
  view["ttl"] = nullptr;  // as long as the command's record
  view["pollInterval"] = kPollMs;
  return view;
}

ordered_json modern_task(const Task& task, const std::string& progress_text) {
  const Revision revision = Revision::v2026_07_28;
  ordered_json view = common(task, revision, progress_text);
  view["ttlMs"] = nullptr;
  view["pollIntervalMs"] = kPollMs;
  const std::string_view status = task_status(task, revision);
  if (status == "completed") {
    view["result"] = task_outcome(task, revision);
    view["result"]["resultType"] = "complete";
  } else if (status == "failed") {
    view["error"]["code"] = kInternalError;
    view["error"]["message"] = "Internal error";
  }
  return view;
}

ordered_json modern_task_told(const Task& task) {
  constexpr std::size_t kEnvelope = 2 * kMostIdBytes;
  ordered_json view = modern_task(task, {});
  const std::string text = view.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (text.size() + kEnvelope > kMostMessageBytes) {
    view["result"] = tool_error(
        "the result is too long for a message; call get_command_state with a smaller max_output_bytes");
    view["result"]["resultType"] = "complete";
  }
  return view;
}

ordered_json task_outcome(const Task& task, Revision revision) {
  if (task.fault) {
    throw ProtocolError(kInternalError, "Internal error");
  }
  if (task.aborted) {
    return tool_error(!task.host.empty() ? "cancelled: the host has been told to end it"
                                         : "cancelled before it began");
  }
  return task.error_text.empty() ? tool_result(task.answer, revision) : tool_error(task.error_text);
}

}  // namespace terminally
