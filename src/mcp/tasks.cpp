#include "mcp/tasks.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <iostream>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "json/json_rpc.hpp"
#include "mcp/outlet.hpp"
#include "mcp/progress.hpp"
#include "mcp/task.hpp"
#include "mcp/task_commands.hpp"
#include "secrets/text_guard.hpp"
#include "tmux/manager.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;
using RouterPtr = std::shared_ptr<const Router>;

constexpr Milliseconds kBeginsWithin{5'000};

bool is_refusal(const Error& error) {
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::not_found ||
         error.code() == ErrorCode::tab_closed;
}

awaitable<void> run_call(RouterPtr router, TaskPtr task, TaskRequest request) {
  BeganCallback on_begin = [task](WindowId window, const std::string& command_id) {
    task->command = Task::Command{window, command_id};
    task->settled.set();
  };
  Caller caller{std::move(request.peer), std::move(request.client), reports_to(std::move(request.progress)),
                TaskCall{std::move(on_begin), task->key}};
  try {
    task->answer = co_await router->call(request.tool, std::move(request.arguments), std::move(caller));
  } catch (const Error& error) {
    task->error_text = error.what();
    task->refused = !task->command && is_refusal(error);
  }
}

void note_failure(Task& task, const std::exception_ptr& failure) {
  std::string cause = "unknown exception";
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) {
      task.aborted = true;
      return;
    }
    cause = error.what();
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): told like any other
  }
  task.fault = true;
  std::cerr << "terminally-mcp: task " << task.id << " failed: " << cause << '\n';
}

/// Cancels a task that has no command: its call. What the call still returns is dropped.
void abort(Task& task) {
  task.aborted = true;
  task.cancel.emit(asio::cancellation_type::terminal);
}

}  // namespace

void Tasks::spawn(const TaskPtr& task, awaitable<void> work, std::shared_ptr<Outlet> outlet) {
  running_->insert(task);
  auto over = [task, outlet = std::move(outlet), running = running_](const std::exception_ptr& failure) {
    if (failure) {
      note_failure(*task, failure);
    }
    running->erase(task);
    task->updated_ms = wall_clock_ms();
    if (task->progress) {
      task->progress->close();
    }
    task->settled.set();
    task->over.set();
    if (outlet && !task->id.empty()) {
      outlet->notify(notification_message("notifications/tasks/status", legacy_task(*task, {})),
                     Delivery::must);
    }
  };
  asio::co_spawn(executor_, std::move(work),
                 asio::bind_cancellation_slot(task->cancel.slot(), std::move(over)));
}

TaskPtr Tasks::begin(TaskRequest request) {
  if (running_->size() >= kMostRunning) {
    throw ProtocolError(kInternalError, "Too many tasks at once: " + std::to_string(running_->size()) +
                                            " are running; wait for one, or tasks/cancel");
  }
  const auto task = std::make_shared<Task>();
  task->key = random_hex(kTaskKeyBytes);
  task->created_ms = task->updated_ms = wall_clock_ms();
  task->peer = request.peer;
  task->known_to.insert(request.peer->identity);
  const auto outlet = request.outlet;
  if (outlet && request.progress) {
    request.progress->becomes_task(outlet);
    task->progress = request.progress;
  }
  task->host = router_->host_of(request.tool, *request.arguments);
  task->is_of_command = request.tool.traits.task_support == TaskSupport::command && task->host.empty();
  spawn(task, run_call(router_, task, std::move(request)), outlet);
  return task;
}

awaitable<void> Tasks::announce(TaskPtr task) {
  if (task->is_of_command) {
    co_await run_until(Clock::now() + kBeginsWithin, task->settled.wait());
  }
  constexpr int kTurns = 3;  // in which a call that begins no command has read its arguments
  for (int turn = 0; turn < kTurns && !task->settled.is_set(); ++turn) {
    co_await asio::post(executor_, asio::use_awaitable);
  }
  task->id = task_id(*task);
  if (task->progress) {
    task->progress->of_task(task->id);
  }
  keep(task);
}

void Tasks::give_up(const TaskPtr& task) {
  tasks_.erase(task->id);
  task->id.clear();
  if (task->over.is_set()) {
    return;
  }
  abort(*task);
  end_in_background(task);  // the call may have left its command behind already
}

void Tasks::keep(const TaskPtr& task) {
  tasks_[task->id] = task;
  const std::vector<TaskPtr> over = sorted([](const Task& kept) { return kept.over.is_set(); });
  for (std::size_t i = 0; i + kMostKept < over.size(); ++i) {
    tasks_.erase(over[i]->id);
  }
}

awaitable<TaskPtr> Tasks::find(std::string id, PeerSettingsPtr peer) {
  TaskPtr task = co_await find_command(std::move(id), peer);
  if (task) {
    task->known_to.insert(peer->identity);
  }
  co_return task;
}

/// From the record of its command, where this server does not know it.
awaitable<TaskPtr> Tasks::find_command(std::string id, PeerSettingsPtr peer) {
  if (const auto found = tasks_.find(id); found != tasks_.end()) {
    co_return found->second;
  }
  TaskPtr task = parse_task_id(id);
  if (!task) {
    co_return nullptr;
  }
  task->peer = std::move(peer);
  const bool is_there = co_await find_command_of(router_, task);
  if (!is_there) {
    co_return nullptr;
  }
  if (const auto found = tasks_.find(id); found != tasks_.end()) {
    co_return found->second;  // another call has found it meanwhile
  }
  if (!task->over.is_set()) {
    task->settled.set();
    spawn(task, see_command_through(router_, task), nullptr);
  }
  keep(task);
  co_return task;
}

awaitable<void> Tasks::cancel(TaskPtr task) {
  constexpr Milliseconds kToKill{6'000};
  const auto deadline = Clock::now() + router_->services().sync_window + kToKill;
  const Spawned<> ending = begin_cancel(task);
  bool in_time = co_await ending.wait_by(deadline);
  ending.result();
  if (in_time) {
    in_time = co_await run_until(deadline, task->over.wait());
  }
  if (!in_time) {
    throw Error(ErrorCode::busy,
                "task " + task->id + " is being ended, but still runs; tasks/get tells when it is over");
  }
}

Spawned<> Tasks::begin_cancel(const TaskPtr& task) {
  if (!has_command(*task) && !task->over.is_set()) {
    abort(*task);
  }
  return end_in_background(task);
}

Spawned<> Tasks::end_in_background(const TaskPtr& task) {
  if (!has_command(*task)) {
    return {};
  }
  return {executor_, end_command_of(router_, task)};
}

std::vector<TaskPtr> Tasks::list(const std::string& identity) const {
  return sorted([&](const Task& task) { return task.known_to.contains(identity); });
}

std::vector<TaskPtr> Tasks::sorted(const std::function<bool(const Task&)>& which) const {
  std::vector<TaskPtr> those;
  for (const auto& [id, task] : tasks_) {
    if (which(*task)) {
      those.push_back(task);
    }
  }
  std::ranges::sort(those, {}, [](const TaskPtr& task) { return std::tie(task->created_ms, task->id); });
  return those;
}

awaitable<std::string> Tasks::progress_text(TaskPtr task) const {
  TmuxManager* manager = router_->services().manager;
  if (task->over.is_set() || !task->command || manager == nullptr) {
    co_return "";
  }
  QueryCommand query;
  query.window_id = task->command->window;
  query.command_id = task->command->id;
  query.max_output_bytes = 0;
  query.view.guard = router_->new_guard(*task->peer);
  const CommandResult now = co_await manager->commands().state(query);
  if (!now.awaiting_input) {
    co_return std::to_string(now.output_bytes) + " bytes of output so far";
  }
  const std::string text = "waits for the keyboard: " + now.awaiting_input->prompt;
  co_return query.view.guard ? query.view.guard->text(text) : text;
}

void Tasks::stop() {
  for (const TaskPtr& task : std::vector<TaskPtr>(running_->begin(), running_->end())) {
    task->cancel.emit(asio::cancellation_type::terminal);
  }
}

}  // namespace terminally
