// Watches tabs, and tells of each change at a bounded pace.
#include "mcp/resource_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;

constexpr Milliseconds kBetweenUpdates{500};
constexpr Milliseconds kBetweenListChanges{100};
constexpr Milliseconds kAskAgain{1'000};

/// Calls `tell` until it succeeds, then pauses, so that changes are told no more often than every `pause`.
awaitable<void> tell_at_last(Tell tell, Milliseconds pause) {
  while (!tell()) {
    co_await sleep_for(kBetweenUpdates);
  }
  co_await sleep_for(pause);
}

/// Whether asking again may succeed: it may after a tmux that does not answer or a lack of descriptors, but
/// not for a tab that does not exist.
bool may_pass(const Error& error) {
  return error.code() != ErrorCode::not_found;
}

awaitable<LogFollower> follow_log(TmuxManager& manager, WindowId window) {
  for (;;) {
    try {
      co_return co_await manager.output().follow_log(window);
    } catch (const Error& error) {
      if (!may_pass(error)) {
        throw;
      }
    }
    co_await sleep_for(kAskAgain);
  }
}

/// Waits until the log has more, and skips that unread. False when the tab is closed.
awaitable<bool> comes_more(LogFollower& log) {
  for (;;) {
    try {
      const LogFollower::More more = co_await log.more_by(Clock::time_point::max());
      log.skip();
      co_return more == LogFollower::More::yes;
    } catch (const Error& error) {
      if (!may_pass(error)) {
        throw;
      }
    }
    co_await sleep_for(kAskAgain);
  }
}

/// Serves log and screen: both change when the tab prints.
awaitable<void> follow_output(TmuxManager& manager, WindowId window, Tell tell) {
  LogFollower log = co_await follow_log(manager, window);
  bool open = co_await comes_more(log);
  while (open) {
    co_await tell_at_last(tell, kBetweenUpdates);
    open = co_await comes_more(log);
  }
}

awaitable<void> follow_output_there(std::shared_ptr<FarHosts> hosts, ResourceUri uri, Tell tell) {
  for (std::optional<std::uint64_t> so_far;;) {
    so_far = co_await next_output_there(hosts, uri.host, uri.window, so_far);
    co_await tell_at_last(tell, kBetweenUpdates);
  }
}

/// Waits for a list that differs from `known`.
awaitable<TabList> next_tabs(TmuxManager& manager, TabList known, TabNews news) {
  for (;;) {
    try {
      co_return co_await manager.tabs().others(known, news);
    } catch (const Error& error) {
      if (!may_pass(error)) {
        throw;
      }
    }
    co_await sleep_for(kAskAgain);
  }
}

awaitable<void> follow_tabs(TmuxManager& manager, TabNews news, TabList known, Tell tell) {
  for (;;) {
    known = co_await next_tabs(manager, std::move(known), news);
    co_await tell_at_last(tell, news == TabNews::any ? kBetweenUpdates : kBetweenListChanges);
  }
}

}  // namespace

awaitable<bool> resource_exists(TmuxManager* manager, std::shared_ptr<FarHosts> hosts, ResourceUri uri) {
  if (uri.kind == ResourceUri::Kind::tabs) {
    co_return true;
  }
  if (!uri.host.empty()) {
    const std::vector<std::string> names = hosts ? hosts->names() : std::vector<std::string>();
    co_return std::ranges::find(names, uri.host) != names.end();
  }
  if (manager == nullptr) {
    co_return false;
  }
  try {
    TextView view;
    co_await manager->output().read_lines(uri.window, 1, std::move(view));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) {
      co_return false;
    }
    throw;
  }
  co_return true;
}

Background watch_output(const boost::asio::any_io_executor& executor, TmuxManager& manager, WindowId window,
                        Tell tell) {
  return {executor, follow_output(manager, window, std::move(tell))};
}

Background watch_output_there(const boost::asio::any_io_executor& executor, std::shared_ptr<FarHosts> hosts,
                              ResourceUri uri, Tell tell) {
  return {executor, follow_output_there(std::move(hosts), std::move(uri), std::move(tell))};
}

Background watch_tabs(const boost::asio::any_io_executor& executor, TmuxManager& manager, TabNews news,
                      TabList known, Tell tell) {
  return {executor, follow_tabs(manager, news, std::move(known), std::move(tell))};
}

}  // namespace terminally
