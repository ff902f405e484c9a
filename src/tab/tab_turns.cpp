// Waits for the turn in a tab: in this process, and then among all processes.
#include "tab/tab_turns.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "system/foreground.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

/// Another process joins a queue in microseconds.
constexpr Milliseconds kJoins{1};
/// A process that leaves a queue says so; of one that died, the kernel gives the place up without a word.
constexpr Milliseconds kLooks{100};
/// So long does nothing happen at the prompt while a process that does nothing (C-z, SIGSTOP) has the turn.
constexpr Milliseconds kPassedBy{2'000};

std::filesystem::path queue_path(const Tab& tab) {
  return tab.files.runtime() / (std::to_string(tab.pane.number) + ".queue");
}

bool is_at_prompt(const Tab& tab) {
  const Foreground now = look_at_foreground(tab.pane_pid);
  return now.is_shell() && prompt_state(now, tab.tty) == Prompt::ready;
}

/// None: it cannot be watched, and is looked at now and then.
std::optional<LogWatch::Watch> watch_if_possible(LogWatch& watch, const std::filesystem::path& path) {
  try {
    return watch.watch(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

bool TabTurns::taken_elsewhere(const Tab& tab) const {
  return !taken(tab.window) && TabQueue::is_taken(queue_path(tab));
}

TabQueue& TabTurns::queue_of(const Tab& tab) {
  const std::filesystem::path path = queue_path(tab);
  return queues_.try_emplace(path, path).first->second;
}

/// None: its time was over. Where no queue can be had, it waits for nobody there.
Awaitable<std::optional<TabQueue::Place>> TabTurns::join(std::shared_ptr<Tab> tab,
                                                         Clock::time_point give_up_at) {
  std::optional<TabQueue::Place> place;
  for (;;) {
    try {
      place = queue_of(*tab).join();
    } catch (const Error&) {
      place.emplace();
    }
    if (place || Clock::now() >= give_up_at) {
      co_return place;
    }
    co_await sleep_for(kJoins);
  }
}

/// The kernel does not say who stands before it. One that stands still is passed by: the queue is about the
/// order alone, and that one command is typed at a time is for the lock of the tab's command.
Awaitable<bool> TabTurns::come_first(std::shared_ptr<Tab> tab, const TabQueue::Place& place,
                                     Clock::time_point give_up_at) const {
  if (place.is_first()) {
    co_return true;
  }
  auto watch = watch_if_possible(watch_, queue_path(*tab));
  auto at_work = Clock::now();
  while (!place.is_first() && is_alive(tab->pane_pid)) {
    const auto now = Clock::now();
    at_work = is_at_prompt(*tab) ? at_work : now;
    if (now - at_work >= kPassedBy) {
      break;
    }
    if (now >= give_up_at) {
      co_return false;
    }
    const auto look = std::min(give_up_at, now + kLooks);
    if (watch) {
      co_await watch->changed_by(look);
    } else {
      co_await sleep_until(look);
    }
  }
  co_return true;
}

Awaitable<TabTurns::Turn> TabTurns::lock_by(std::shared_ptr<Tab> tab, AsyncMutex::Guard arrived,
                                            Clock::time_point give_up_at) {
  std::optional<TabQueue::Place> place = co_await join(tab, give_up_at);
  if (!place) {
    co_return Turn();
  }
  arrived.release();  // who comes next joins behind it, and waits behind it here
  AsyncMutex::Turn here = co_await turns_.lock_by(tab->window, give_up_at);
  if (!here.guard) {
    co_return Turn{Guard(), here.ahead};
  }
  const bool is_first = co_await come_first(tab, *place, give_up_at);
  if (!is_first) {
    co_return Turn();
  }
  co_return Turn{Guard(std::move(here.guard), std::move(*place)), 0};
}

Awaitable<TabTurns::Guard> TabTurns::try_lock(std::shared_ptr<Tab> tab) {
  if (taken(tab->window)) {
    co_return Guard();
  }
  AsyncMutex::Guard here = co_await turns_.lock(tab->window);  // at once
  std::optional<TabQueue::Place> place;
  try {
    place = queue_of(*tab).join();
  } catch (const Error&) {
    place.emplace();  // where no queue can be had, it stands in none
  }
  if (!place || !place->is_first()) {
    co_return Guard();
  }
  co_return Guard(std::move(here), std::move(*place));
}

}  // namespace terminally
