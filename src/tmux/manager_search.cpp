// search_logs: in slices, so that others are served in between.

#include <algorithm>
#include <boost/asio.hpp>

#include "log/log_search.hpp"
#include "log/output.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

/// An answer comes by then, with where to go on.
constexpr Milliseconds kLongestSearch{30'000};

Awaitable<FoundLines> find_lines(ManagerParts& manager, SearchLogs request) {
  Pattern pattern(request.pattern, {.field = "pattern", .ignore_case = request.ignore_case});
  const TabPtr tab = co_await manager.tabs.find(request.window_id);
  refuse_beyond_end(tab->log, request.from_byte);
  request.own_files = tab->files.directory();
  const std::uint64_t end = tab->log.end();
  const auto give_up = std::min(manager.call_time().patience(), Clock::now() + kLongestSearch);
  LogSearch search(tab->log, pattern, request.from_byte);
  FoundLinesWriter writer(tab->log, request);
  std::optional<std::uint64_t> next_byte;
  bool out_of_time = false;
  AsyncMutex::Guard turn;
  auto slice_ends = Clock::now();
  for (auto step = LogSearch::Step::out_of_time; step != LogSearch::Step::at_end && !writer.full();) {
    if (step = search.next(end, slice_ends); step == LogSearch::Step::found) {
      if (!writer.add(search.found())) {
        next_byte = search.found().line_begin;
        break;
      }
      if (search.found().unfinished) {
        next_byte = search.found().line_end;
        break;
      }
    } else if (step == LogSearch::Step::out_of_time) {
      if (out_of_time = Clock::now() >= give_up; out_of_time) {
        break;
      }
      turn.release();
      turn = co_await manager.search_turn();
      slice_ends = Clock::now() + LogSearch::kSlice;
    }
  }
  const bool stopped = out_of_time || writer.full() || next_byte;
  FoundLines found = writer.finish();
  found.next_byte = std::min(next_byte.value_or(search.offset()), end);
  found.truncated = stopped && found.next_byte < end;
  if (auto note = gap_note(tab->log.gap_between(request.from_byte, found.next_byte), "the log")) {
    found.notes.push_back(std::move(*note));
  }
  if (out_of_time) {
    found.notes.emplace_back("the log is long: searched up to next_byte, go on from there");
  }
  co_return found;
}

}  // namespace

/// However many look through logs, one does so at a time, and others are served before it does.
Awaitable<AsyncMutex::Guard> ManagerParts::search_turn() {
  AsyncMutex::Guard turn = co_await searching->lock();
  co_await boost::asio::post(executor, boost::asio::use_awaitable);
  co_return turn;
}

Awaitable<FoundLines> TmuxManager::search_logs(SearchLogs request) {
  return parts_->within_call_time(find_lines(*parts_, std::move(request)));
}

}  // namespace terminally
