// What is known of a command, while it runs and afterwards.

#include "base/error.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {

Awaitable<CommandResult> ManagerParts::state_of_command(QueryCommand request, CallTime time) {
  const TabPtr tab = co_await tabs.find(request.window_id);
  commands.look_after(tab);
  while (tab->closed && !tab->runs.empty() && Clock::now() < time.returns_by()) {
    const RunPtr run = tab->runs.back();  // its log is being read to the end
    co_await finish_by(time.returns_by(), run->wait_for_end());
  }
  const ShowOutput how{std::move(request.view), request.max_output_bytes, time.returns_by()};
  for (const RunPtr& run : tab->runs) {
    if (request.command_id.empty() ? run == tab->runs.back() : run->record().id == request.command_id) {
      co_return co_await results.of(tab, run, how);
    }
  }
  const auto record =
      request.command_id.empty() ? tab->records.latest() : tab->records.find(request.command_id);
  if (!record) {
    throw Error(ErrorCode::not_found,
                request.command_id.empty()
                    ? "window_id: no command was run in tab " + to_string(request.window_id) + " yet"
                    : "command_id: there is no command \"" + request.command_id + "\" in tab " +
                          to_string(request.window_id));
  }
  co_return co_await results.of(tab, *record, how);
}

Awaitable<CommandResult> TmuxManager::command_state(QueryCommand request) {
  const CallTime time = parts_->call_time();
  return parts_->within(time, parts_->state_of_command(std::move(request), time));
}

}  // namespace terminally
