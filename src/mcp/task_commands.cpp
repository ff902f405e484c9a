// Finds, follows and ends the command of a task, on this side or on a host.
#include "mcp/task_commands.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "tmux/manager.hpp"
#include "toolkit/far_hosts.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;
using RouterPtr = std::shared_ptr<const Router>;

/// Pause before asking again to end a command that its starter (an `exec`, stopped by C-z) leaves running.
constexpr Milliseconds kEndAgain{1'000};
constexpr Milliseconds kLookThereAgain{1'000};

/// The state of the command of a task that was found by its id: what view its call asked for is not on
/// record.
awaitable<Answer> command_state(RouterPtr router, TaskPtr task) {
  json arguments;
  if (task->command) {
    arguments["window_id"] = to_string(task->command->window);
    arguments["command_id"] = task->command->id;
  } else {
    arguments["window_id"] = task->host + ":main";  // any tab there will do: the key finds the command
    arguments["command_id"] = "call-" + task->key;
  }
  auto shared = std::make_shared<const json>(std::move(arguments));
  Caller caller{task->peer};
  co_return co_await router->call(*router->find("get_command_state"), std::move(shared), std::move(caller));
}

awaitable<Answer> command_result(RouterPtr router, TaskPtr task) {
  Answer answer = co_await command_state(std::move(router), task);
  if (task->command) {
    answer.object["window_id"] = to_string(task->command->window);
  }
  co_return answer;
}

void is_over(Task& task, Answer answer) {
  task.answer = std::move(answer);
  task.settled.set();
  task.over.set();
}

awaitable<bool> find_here(RouterPtr router, TaskPtr task) {
  QueryCommand query;
  query.window_id = task->command->window;
  query.command_id = task->command->id;
  query.max_output_bytes = 0;
  const CommandResult now = co_await router->services().manager->commands().state(query);
  if (now.task_key != task->key) {
    co_return false;  // the command was begun as no task, or as another one
  }
  task->created_ms = now.started_at_ms;
  task->updated_ms = now.started_at_ms + static_cast<std::int64_t>(now.duration_ms);
  if (now.state != CommandState::running) {
    Answer answer = co_await command_result(router, task);
    is_over(*task, std::move(answer));
  }
  co_return true;
}

bool runs(const Answer& state) {
  return state.object.value("state", ordered_json()) == "running";
}

/// Uses the time of the search as the task's time, as this side does not know when the command began.
awaitable<bool> find_there(RouterPtr router, TaskPtr task) {
  Answer now = co_await command_state(router, task);
  task->created_ms = task->updated_ms = wall_clock_ms();
  if (!runs(now)) {
    is_over(*task, std::move(now));
  }
  co_return true;
}

/// Polls the command on its host until it is over. While the host cannot be reached, the command may go on.
awaitable<void> see_through_there(RouterPtr router, TaskPtr task) {
  for (;;) {
    try {
      Answer now = co_await command_state(router, task);
      if (!runs(now)) {
        task->answer = std::move(now);
        co_return;
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::not_found || error.code() == ErrorCode::tab_closed) {
        throw;
      }
    }
    co_await sleep_for(kLookThereAgain);
  }
}

awaitable<bool> runs_still(TmuxManager& manager, WindowId window, std::string id) {
  QueryCommand query;
  query.window_id = window;
  query.command_id = std::move(id);
  query.max_output_bytes = 0;
  const CommandResult now = co_await manager.commands().state(query);
  co_return now.state == CommandState::running;
}

bool is_host(const Services& services, const std::string& name) {
  const std::vector<std::string> names =
      services.hosts ? services.hosts->names() : std::vector<std::string>();
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool has_command(const Task& task) {
  return task.command || task.found_there;
}

awaitable<bool> find_command_of(RouterPtr router, TaskPtr task) {
  const Services& services = router->services();
  if (task->command ? services.manager == nullptr : !is_host(services, task->host)) {
    co_return false;
  }
  try {
    if (task->command) {
      co_return co_await find_here(router, task);
    }
    co_return co_await find_there(router, task);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
  }
  co_return false;
}

awaitable<void> see_command_through(RouterPtr router, TaskPtr task) {
  try {
    if (task->command) {
      co_await router->services().manager->commands().wait_for_end(task->command->window, task->command->id);
      task->answer = co_await command_result(router, task);
    } else {
      co_await see_through_there(router, task);
    }
  } catch (const Error& error) {
    task->error_text = error.what();
  }
}

awaitable<void> end_command_of(RouterPtr router, TaskPtr task) {
  const Services& services = router->services();
  if (task->command) {
    co_await end_command(*services.manager, task->command->window, task->command->id);
  } else {
    co_await services.hosts->end_command(task->host, task->key);
  }
}

awaitable<void> end_command(TmuxManager& manager, WindowId window, std::string id) {
  try {
    bool runs = co_await runs_still(manager, window, id);
    while (runs) {
      co_await manager.stops().end_command(window, id);
      runs = co_await runs_still(manager, window, id);
      if (runs) {
        co_await sleep_for(kEndAgain);
      }
    }
  } catch (const Error& error) {  // tab_closed: there is nothing left to end
    if (error.code() != ErrorCode::tab_closed) {
      throw;
    }
  }
}

}  // namespace terminally
