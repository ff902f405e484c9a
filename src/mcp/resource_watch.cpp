#include "mcp/resource_watch.hpp"

#include "base/error.hpp"
#include "base/timeout.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;

constexpr Milliseconds kBetweenUpdates{500};
constexpr Milliseconds kBetweenListChanges{100};
constexpr Milliseconds kWhenTmuxIsLate{1'000};
constexpr std::uint64_t kPatienceMs = 3'600'000;

/// Says it, and keeps the pace.
awaitable<void> tell_at_last(Tell tell, Milliseconds pause) {
  while (!tell()) {
    co_await sleep_for(kBetweenUpdates);
  }
  co_await sleep_for(pause);
}

awaitable<std::uint64_t> log_end(TmuxManager& manager, WindowId window) {
  ReadLogChunk query;
  query.window_id = window;
  query.from_byte = ReadLogChunk::kLogEnd;
  query.max_bytes = 1;
  query.exact = true;
  const LogChunk nothing = co_await manager.read_chunk(query);
  co_return nothing.next_byte;
}

/// A screen changes with what is printed, as the log does.
awaitable<void> follow_output(TmuxManager& manager, WindowId window, Tell tell) {
  std::uint64_t known = co_await log_end(manager, window);
  for (;;) {
    ReadLogChunk query;
    query.window_id = window;
    query.from_byte = known;
    query.max_bytes = 1;
    query.exact = true;
    query.wait_ms = kPatienceMs;
    const auto begun = Clock::now();
    const LogChunk more = co_await manager.read_chunk(query);
    if (more.next_byte != known) {
      known = co_await log_end(manager, window);
      co_await tell_at_last(tell, kBetweenUpdates);
    } else if (Clock::now() - begun < Milliseconds(kPatienceMs)) {
      co_return;  // nothing, and it did not wait: the tab is closed
    }
  }
}

/// The next list that differs. A tmux that does not answer now may answer later.
awaitable<TabList> next_tabs(TmuxManager& manager, TabList known, TabNews news) {
  for (;;) {
    try {
      co_return co_await manager.other_tabs(known, news);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::tmux_timeout) {
        throw;
      }
    }
    co_await sleep_for(kWhenTmuxIsLate);
  }
}

awaitable<void> follow_tabs(TmuxManager& manager, TabNews news, TabList known, Tell tell) {
  for (;;) {
    known = co_await next_tabs(manager, std::move(known), news);
    co_await tell_at_last(tell, news == TabNews::any ? kBetweenUpdates : kBetweenListChanges);
  }
}

}  // namespace

Background watch_output(const boost::asio::any_io_executor& executor, TmuxManager& manager, WindowId window,
                        Tell tell) {
  return {executor, follow_output(manager, window, std::move(tell))};
}

Background watch_tabs(const boost::asio::any_io_executor& executor, TmuxManager& manager, TabNews news,
                      TabList known, Tell tell) {
  return {executor, follow_tabs(manager, news, std::move(known), std::move(tell))};
}

}  // namespace terminally
