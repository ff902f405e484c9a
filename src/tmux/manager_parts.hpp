#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/awaitable.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/keyed_mutex.hpp"
#include "base/spawned.hpp"
#include "command/busy.hpp"
#include "command/call_time.hpp"
#include "command/command_run.hpp"
#include "config.hpp"
#include "server/tmux_server.hpp"
#include "system/log_watch.hpp"
#include "system/process_table.hpp"
#include "tab/tab.hpp"
#include "tab/tab_turns.hpp"
#include "tmux/command_results.hpp"
#include "tmux/commands.hpp"
#include "tmux/requests.hpp"
#include "tmux/tab_chooser.hpp"
#include "tmux/tabs.hpp"
#include "tmux/text_worker.hpp"

namespace terminally {

/// What the manager's operations share. Each operation is in the file of its kind: manager_tabs.cpp,
/// manager_close.cpp (the end of a tab), manager_commands.cpp (begun and waited for), manager_stop.cpp,
/// manager_input.cpp (text and keys, the screen), manager_results.cpp, manager_logs.cpp, manager_search.cpp,
/// manager_waits.cpp, manager_watch.cpp (the tabs as a whole).
struct ManagerParts {
  ManagerParts(boost::asio::any_io_executor its_executor, Config its_config,
               std::shared_ptr<TmuxChannel> tmux);
  ManagerParts(const ManagerParts&) = delete;
  ManagerParts& operator=(const ManagerParts&) = delete;

  /// Of a call without a time-out of its own.
  [[nodiscard]] CallTime call_time() const { return CallTime(config.sync_window_ms); }

  /// What `work` answers if it does by the end of the call's time. Throws Error(tmux_timeout) else, and
  /// `work` goes on: what it uses is its own, or lives as long as the manager.
  template <typename T>
  Awaitable<T> within(CallTime time, Awaitable<T> work) {
    const Spawned<T> answer = co_await answer_by(time.last_moment(), std::move(work));
    if (!answer.is_over()) {
      throw out_of_time(time);
    }
    co_return answer.result();
  }
  template <typename T>
  Awaitable<T> within_call_time(Awaitable<T> work) {
    return within(call_time(), std::move(work));
  }
  [[nodiscard]] Error out_of_time(CallTime time) const;

  // What several operations do.
  Awaitable<std::vector<TabInfo>> open_tabs();
  [[nodiscard]] std::optional<std::vector<TabInfo>> look_at_tabs(bool again);
  Awaitable<CommandResult> state_of_command(QueryCommand request, CallTime time);
  Awaitable<std::vector<Survivor>> end_processes(Tab& tab, bool force);
  Awaitable<void> close_pane(TabPtr tab);

  Awaitable<AsyncMutex::Guard> search_turn();
  Awaitable<void> calls_before_typed(TabPtr tab);
  Awaitable<std::optional<CancelledCommand>> cancel_foreground(TabPtr tab, bool force, CallTime time);
  Awaitable<CancelledCommand> cancel_elsewhere(TabPtr tab, QueryCommand query, bool force, CallTime time);

  boost::asio::any_io_executor executor;
  Config config;
  TmuxServer server;
  LogWatch log_watch;
  ProcessTable process_table;
  RunContext run_context;
  TextWorker text_worker;
  CommandResults results;

  Commands commands;
  Tabs tabs;
  TabTurns turns;
  TabChooser chooser;
  std::shared_ptr<AsyncMutex> searching = std::make_shared<AsyncMutex>();
  Clock::time_point no_server_until;  ///< known not to be there: new_tab_variables() looks again then
};

}  // namespace terminally
