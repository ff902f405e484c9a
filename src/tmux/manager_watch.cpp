// Watching the tabs as a whole: one directory watch while somebody waits, and nothing while nobody does.

#include <algorithm>
#include <boost/asio.hpp>

#include "tmux/manager_impl.hpp"

namespace terminally {
namespace {

/// A tab that prints all the time must not have us ask tmux all the time.
constexpr Milliseconds kBetweenPaneLooks{200};

/// At a command of another process: each glance reads the log from the command's start.
constexpr Milliseconds kBetweenGlances{500};

bool same_tab(const TabInfo& a, const TabInfo& b, TabNews news) {
  if (a.window_id != b.window_id) {
    return false;
  }
  return news == TabNews::come_and_gone || (a.name == b.name && a.active == b.active && a.cwd == b.cwd &&
                                            a.foreground == b.foreground && a.busy == b.busy);
}

bool same_tabs(const TabList& a, const TabList& b, TabNews news) {
  return a.changes == b.changes &&
         std::ranges::equal(a.open, b.open,
                            [news](const TabInfo& x, const TabInfo& y) { return same_tab(x, y, news); });
}

}  // namespace

/// Wakes one waiter: a timer that never fires by itself. Kept by whoever may tell it, so that it may be told
/// after the wait was given up.
struct TmuxManager::Impl::TabWaiter {
  explicit TabWaiter(const boost::asio::any_io_executor& executor)
      : wake(executor, boost::asio::steady_timer::time_point::max()) {}

  void tell() {
    told = true;
    wake.cancel();
  }

  Awaitable<void> wait() {
    boost::system::error_code error;
    if (!told) {
      co_await wake.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
    }
    if (!std::exchange(told, false)) {
      throw boost::system::system_error(boost::asio::error::operation_aborted);
    }
  }

  bool told = false;
  boost::asio::steady_timer wake;
};

/// Tabs of our own making and ending are told directly: before the first one there is no directory to watch.
void TmuxManager::Impl::tell_tab_waiters() {
  std::erase_if(tab_waiters_, [](const auto& waiter) { return waiter.expired(); });
  for (const auto& weak : tab_waiters_) {
    if (const auto waiter = weak.lock()) {
      waiter->tell();
    }
  }
}

void TmuxManager::Impl::tab_came_or_went() {
  ++tab_changes_;
  tell_tab_waiters();
}

TmuxManager::Awaitable<TabList> TmuxManager::Impl::tabs_now() {
  TabList now;
  now.open = co_await list_tabs();
  now.changes = tab_changes_;
  co_return now;
}

/// What others do is seen by the logs: a window that a person opens gets one in the command list that opens
/// it, and its writer closes it when the window is gone.
TmuxManager::Awaitable<TabList> TmuxManager::Impl::other_tabs(TabList known, TabNews news) {
  const auto waiter = std::make_shared<TabWaiter>(executor_);
  tab_waiters_.emplace_back(waiter);
  const LogEvents events = news == TabNews::come_and_gone ? LogEvents::begin_and_end : LogEvents::all;
  for (;;) {
    std::optional<LogWatch::Watch> watch;
    if (generation_ != 0) {
      watch = watch_.watch_logs(instance_.generation(generation_), events, [waiter] { waiter->tell(); });
    }
    // Until something else has needed the tabs, there is no server of ours to ask, or none that we know of.
    TabList now;
    if (generation_ != 0) {
      now = co_await tabs_now();
    }
    if (!same_tabs(known, now, news)) {
      co_return now;
    }
    co_await waiter->wait();
    if (news == TabNews::any) {
      co_await sleep_for(kBetweenPaneLooks);
    }
  }
}

/// Looks after the command if nobody does. What another process of ours looks after can only be looked at.
TmuxManager::Awaitable<void> TmuxManager::Impl::wait_for_command(WindowId window, std::string command_id) {
  QueryCommand query;
  query.window_id = window;
  query.command_id = std::move(command_id);
  query.max_output_bytes = 0;
  const TabPtr tab = co_await find_tab(window);
  const auto is_it = [&query](const RunPtr& run) { return run->record().id == query.command_id; };
  for (;;) {
    const CommandResult now = co_await command_state(query, call_time());
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
