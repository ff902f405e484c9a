// Watching the tabs as a whole: one directory watch while somebody waits, and nothing while nobody does.

#include <algorithm>
#include <boost/asio.hpp>

#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

/// A tab that prints all the time must not have us ask tmux all the time.
constexpr Milliseconds kBetweenPaneLooks{200};

/// How often a command of another process is looked at: each look reads the log from its start.
constexpr Milliseconds kBetweenGlances{500};

}  // namespace

Awaitable<TabList> TmuxManager::tabs_now() {
  TabList now;
  now.open = co_await parts_->open_tabs();
  now.changes = parts_->tabs.changes().count();
  co_return now;
}

/// What others do is seen by the logs: a window that a person opens gets one in the command list that opens
/// it, and its writer closes it when the window is gone.
Awaitable<TabList> TmuxManager::other_tabs(TabList known, TabNews news) {
  const std::shared_ptr<Event> news_came = parts_->tabs.changes().news();
  const LogEvents events = news == TabNews::come_and_gone ? LogEvents::begin_and_end : LogEvents::all;
  for (;;) {
    std::optional<LogWatch::Watch> watch;
    if (parts_->server.generation() != 0) {
      watch = parts_->log_watch.watch_logs(parts_->server.logs(), events, [news_came] { news_came->set(); });
    }
    // Until something else has needed the tabs, there is no server of ours to ask, or none that we know of.
    TabList now;
    if (parts_->server.generation() != 0) {
      now = co_await tabs_now();
    }
    if (!same_tabs(known, now, news)) {
      co_return now;
    }
    co_await news_came->wait();
    news_came->clear();
    if (news == TabNews::any) {
      co_await sleep_for(kBetweenPaneLooks);
    }
  }
}

/// Looks after the command if nobody does. What another process of ours looks after can only be looked at.
Awaitable<void> TmuxManager::wait_for_command(WindowId window, std::string command_id) {
  QueryCommand query;
  query.window_id = window;
  query.command_id = std::move(command_id);
  query.max_output_bytes = 0;
  const TabPtr tab = co_await parts_->tabs.find(window);
  const auto is_it = [&query](const RunPtr& run) { return run->record().id == query.command_id; };
  for (;;) {
    const CommandResult now = co_await parts_->state_of_command(query, parts_->call_time());
    if (now.state != CommandState::running || notice_if_closed(*tab)) {
      co_return;
    }
    const auto found = std::ranges::find_if(tab->runs, is_it);
    if (found != tab->runs.end()) {
      // A copy: the tab forgets it as it ends.
      const RunPtr run = *found;  // NOLINT(performance-unnecessary-copy-initialization)
      co_await run->wait_for_end();
    } else {
      co_await sleep_for(kBetweenGlances);
    }
  }
}

}  // namespace terminally
