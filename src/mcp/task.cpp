// Makes and parses the ids of tasks.
#include "mcp/task.hpp"

#include <algorithm>

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

}  // namespace terminally
