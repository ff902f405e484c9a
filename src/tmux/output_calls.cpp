// Reads what a tab shows and has printed: the screen, the last lines of the log, any range of it, the lines
// that match. Waits for what comes, in one loop for all that can be waited for.

#include <algorithm>
#include <boost/asio.hpp>
#include <iterator>

#include "base/error.hpp"
#include "command/tab_condition.hpp"
#include "log/log_follower.hpp"
#include "log/log_search.hpp"
#include "log/log_text.hpp"
#include "log/output.hpp"
#include "secrets/text_guard.hpp"
#include "system/log_watch.hpp"
#include "tab/shell_gateway.hpp"
#include "text/ansi.hpp"
#include "tmux/command_results.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/tab_keyboard.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tabs.hpp"
#include "tmux/wire/screen_text.hpp"
#include "tmux/wire/text_worker.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostLogBytes = 256 * 1024;
/// The answer to a search comes by then, with where to go on.
constexpr Milliseconds kLongestSearch{30'000};
/// A command whose END was read is on record by then.
constexpr Milliseconds kEndIsRecorded{100};

std::uint64_t count_lines(std::string_view text) {
  const auto newlines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string_view last_lines(std::string_view text, std::uint64_t count) {
  std::size_t begin = text.size();
  for (; count > 0 && begin > 0; --count) {
    begin = begin < 2 ? 0 : text.rfind('\n', begin - 2) + 1;  // npos + 1 is 0
  }
  return text.substr(begin);
}

PaneLog::Slice read_raw(const Tab& tab, const ReadLogChunk& request) {
  // As text, a sequence that is longer than the chunk is taken whole: it is no text, or would be cut into
  // some.
  const std::size_t more = request.exact ? 0 : kMaxSequenceBytes + 4;
  PaneLog::Slice raw = tab.log.read(request.from_byte, static_cast<std::size_t>(request.max_bytes) + more);
  if (!request.exact) {
    const std::size_t border = text_border(raw.bytes, static_cast<std::size_t>(request.max_bytes), raw.eof);
    raw.eof = raw.eof && border == raw.bytes.size();
    raw.bytes.resize(border);
    raw.next = raw.from + border;
  }
  return raw;
}

/// How long what may become a secret is held back when it is all there is.
constexpr Milliseconds kHoldsSecret{100};

/// With what is around it, where that matters.
LogPart part_of(const Tab& tab, std::uint64_t begin, std::uint64_t end, std::string bytes,
                const TextView& view) {
  if (!view.guard && view.is_exact()) {
    LogPart part;
    part.bytes = std::move(bytes);
    return part;
  }
  const LogRange range{begin, end, 0, tab.log.end(), !tab.closed};
  return log_part(tab.log, std::move(bytes), range, view.render);
}

Awaitable<LogLines> last_lines_of(const OutputCalls::Parts& parts, WindowId window, std::uint64_t lines,
                                  TextView view) {
  const CallTime time = parts.times.call_time();
  const TabPtr tab = co_await parts.tabs.find(window);
  view.own_files = tab->files.directory();
  LogLines result;
  PaneLog::Tail tail;
  std::optional<FittingText> text;
  std::uint64_t shown = 0;
  // Rows that were drawn over, and what we typed, are lines of the log and none of the text: then earlier
  // ones are looked at.
  for (std::uint64_t wanted = lines;; wanted += std::max(wanted, lines - shown)) {
    tail = tab->log.last_lines(wanted, kMostLogBytes);
    LogPart part = part_of(*tab, tail.from, tail.next, tail.bytes, view);
    text = co_await parts.texts.fitting_text(std::move(part), view, tab->cols, Keep::end, kMostLogBytes,
                                             time.returns_by());
    if (!text) {
      throw Error(ErrorCode::busy, not_ready("the text of these lines", window, tail.from));
    }
    const bool whole = text->bytes == tail.bytes.size();
    result.content = std::move(text->text);
    result.truncated = tail.truncated || !whole;
    shown = count_lines(result.content);
    if (!whole || shown >= lines || tail.lines < wanted || !tail.truncated) {
      break;
    }
  }
  const std::size_t kept = last_lines(result.content, lines).size();
  result.truncated = result.truncated || kept < result.content.size();
  result.content.erase(0, result.content.size() - kept);
  result.returned_lines = std::min(shown, lines);
  if (view.guard) {
    view.guard->count(text->masked);
  }
  result.next_byte = tail.next;
  if (auto note = cleared_note(text->cleared_lines, tail.from, tail.next)) {
    result.notes.push_back(std::move(*note));
  }
  if (auto note = gap_note({tail.gap_bytes, tail.gap_unknown}, "these lines")) {
    result.notes.push_back(std::move(*note));
  }
  co_return result;
}

LogFollower follower_of(const OutputCalls::Parts& parts, const TabPtr& tab, std::uint64_t from) {
  auto whole = std::make_unique<WholeLog>(parts.log_watch.watch(tab->log.path()),
                                          [tab] { return notice_if_closed(*tab); });
  return {tab->log, std::move(whole), from};
}

Awaitable<LogChunk> part_of_log(const OutputCalls::Parts& parts, ReadLogChunk request, CallTime time) {
  const TabPtr tab = co_await parts.tabs.find(request.window_id);
  request.view.own_files = tab->files.directory();
  if (request.from_byte == ReadLogChunk::kLogEnd) {
    request.from_byte = tab->log.counted_end();
  }
  refuse_beyond_end(tab->log, request.from_byte);
  if (request.wait_ms != 0 && !tab->closed) {
    LogFollower log = follower_of(parts, tab, request.from_byte);
    [[maybe_unused]] const auto more = co_await log.more_by(time.patience());
  }
  const bool closed = tab->closed;  // before the look
  const auto patience = Clock::now() + kHoldsSecret;
  PaneLog::Slice raw = read_raw(*tab, request);
  FittingText shown{.bytes = raw.bytes.size()};
  if (request.exact) {
    shown.text = std::move(raw.bytes);
  }
  while (!request.exact) {
    LogPart part = part_of(*tab, raw.from, raw.next, std::move(raw.bytes), request.view);
    std::optional<FittingText> text = co_await parts.texts.fitting_text(
        std::move(part), request.view, tab->cols, Keep::beginning, request.max_bytes, time.returns_by());
    if (!text) {
      throw Error(ErrorCode::busy, not_ready("the text of this part", request.window_id, raw.from));
    }
    shown = std::move(*text);
    if (!shown.may_grow || Clock::now() >= patience) {
      break;
    }
    co_await sleep_for(kHoldsSecret / 5);
    raw = read_raw(*tab, request);
  }
  if (request.view.guard) {
    request.view.guard->count(shown.masked);
  }
  LogChunk chunk;
  chunk.gap_bytes = raw.gap_bytes;
  chunk.gap_unknown = raw.gap_unknown;
  chunk.next_byte = raw.from + shown.bytes;
  chunk.eof = raw.eof && chunk.next_byte == raw.next;
  chunk.chunk = std::move(shown.text);
  chunk.last = closed && chunk.eof;
  if (auto note = cleared_note(shown.cleared_lines, raw.from, chunk.next_byte)) {
    chunk.notes.push_back(std::move(*note));
  }
  co_return chunk;
}

/// However many look through logs, one does so at a time, and others are served before it does.
Awaitable<AsyncMutex::Guard> search_turn(std::shared_ptr<AsyncMutex> searching) {
  AsyncMutex::Guard turn = co_await searching->lock();
  co_await boost::asio::post(boost::asio::use_awaitable);
  co_return turn;
}

Awaitable<FoundLines> find_lines(const OutputCalls::Parts& parts, SearchLogs request) {
  Pattern pattern(request.pattern, {.field = "pattern", .ignore_case = request.ignore_case});
  const TabPtr tab = co_await parts.tabs.find(request.window_id);
  refuse_beyond_end(tab->log, request.from_byte);
  request.own_files = tab->files.directory();
  const std::uint64_t end = tab->log.end();
  const auto give_up = std::min(parts.times.call_time().patience(), Clock::now() + kLongestSearch);
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
      turn = co_await search_turn(parts.searching);
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

Awaitable<TabScreen> screen_of(const OutputCalls::Parts& parts, ReadScreen request, CallTime time) {
  const TabPtr tab = co_await parts.tabs.find_open(request.window_id);
  const std::string commands = screen_query(to_string(tab->pane), request);
  const std::shared_ptr<TextGuard> guard = request.guard;
  const TmuxClient tmux = parts.tabs.client_of(*tab);
  std::string answer = co_await answer_about(tab, tmux.query(commands));
  std::optional<TabScreen> screen =
      co_await parts.texts.screen(std::move(answer), std::move(request), time.returns_by());
  if (!screen) {
    throw Error(ErrorCode::busy,
                "the text of the screen was not ready when the time of this call was over (one thread makes "
                "all long texts, the shortest first); try again, or with fewer scrollback_lines");
  }
  if (guard) {
    guard->count(screen->masked);
  }
  co_return std::move(*screen);
}

/// What there is to see behind input: the screen itself, where a program has all of it.
Awaitable<std::optional<TabScreen>> full_screen_of(const OutputCalls::Parts& parts, const WaitFor& request,
                                                   CallTime time) {
  std::optional<TabScreen> screen;
  if (!request.behind_input || !request.waiting.view.render) {
    co_return screen;
  }
  ReadScreen read;
  read.window_id = request.window_id;
  read.most_bytes = request.waiting.max_output_bytes;
  read.guard = request.waiting.view.guard;
  try {
    screen = co_await screen_of(parts, std::move(read), time);
  } catch (const Error&) {
    // the tab is gone, or tmux does not answer: what the log has is told
  }
  if (screen && !screen->alternate_screen) {
    screen.reset();
  }
  co_return screen;
}

Awaitable<WaitForResult> wait_in_tab(const OutputCalls::Parts& parts, WaitFor request, CallTime time) {
  const auto deadline = time.patience();
  const TabPtr tab = co_await parts.tabs.find(request.window_id);
  refuse_beyond_end(tab->log, request.from_byte.value_or(0));
  request.waiting.view.own_files = tab->files.directory();
  LogWatch::Watch watch = parts.log_watch.watch(tab->log.path());
  parts.commands.look_after(tab);
  TabCondition wait(tab, request);
  AsyncMutex::Guard turn;  // for one look through the log
  if (wait.until() == Until::pattern) {
    turn = co_await search_turn(parts.searching);
  }
  TabCondition::Step step = wait.look();
  while ((step == TabCondition::Step::later || step == TabCondition::Step::at_once) &&
         Clock::now() < deadline) {
    const auto wake = std::min(deadline, wait.next_look());
    const bool reads_log = wait.until() == Until::pattern || wait.until() == Until::idle;
    turn.release();
    if (step == TabCondition::Step::at_once) {
      turn = co_await search_turn(parts.searching);
    } else if (reads_log) {
      co_await watch.changed_by(wake);
    } else if (wait.run()) {
      co_await wait.run()->wait_for_end_by(wake);
    } else {
      co_await sleep_until(wake);
    }
    notice_if_closed(*tab);
    parts.commands.look_after(tab);
    step = wait.look();
  }
  turn.release();
  if (step == TabCondition::Step::later && wait.run() && wait.run()->output().end()) {
    co_await wait.run()->wait_for_end_by(Clock::now() + kEndIsRecorded);  // it has ended in time
    step = wait.look();
  }
  WaitForResult waited = wait.result(step);
  if (wait.record()) {
    note_told(*tab, *wait.record());
  }
  std::optional<TabScreen> screen = co_await full_screen_of(parts, request, time);
  if (screen) {
    waited.output = std::move(screen->text);
    std::ranges::move(screen->notes, std::back_inserter(waited.notes));
  } else {
    ShowOutput how{std::move(request.waiting.view), request.waiting.max_output_bytes, time.returns_by()};
    ShownOutput output =
        co_await parts.results.show(tab, wait.output_range(waited.next_byte), std::move(how));
    waited.output = std::move(output.text);
    std::ranges::move(output.notes, std::back_inserter(waited.notes));
  }
  const bool window_over = request.hand_over && request.waiting.timeout_ms >= parts.times.sync_window_ms();
  if (step == TabCondition::Step::at_once) {
    waited.notes.push_back(
        "its time was over before the log was searched to its end; to go on, call wait_for with from_byte " +
        std::to_string(waited.next_byte));
  } else if (waited.reason == "timeout" && window_over) {
    waited.notes.push_back("no call waits longer than " + std::to_string(parts.times.sync_window_ms()) +
                           " ms; to go on, call wait_for with from_byte " + std::to_string(waited.next_byte));
  }
  co_return waited;
}

}  // namespace

Awaitable<TabScreen> OutputCalls::read_screen(ReadScreen request) {
  const CallTime time = parts_.times.call_time();
  return parts_.times.within(time, screen_of(parts_, std::move(request), time));
}

Awaitable<LogLines> OutputCalls::read_lines(WindowId tab, std::uint64_t lines, TextView view) {
  return parts_.times.within_call_time(last_lines_of(parts_, tab, lines, std::move(view)));
}

/// A call that does not wait for output has the time of any other call.
Awaitable<LogChunk> OutputCalls::read_chunk(ReadLogChunk request) {
  const CallTime time = parts_.times.call_time(request.wait_ms == 0 ? UINT64_MAX : request.wait_ms);
  return parts_.times.within(time, part_of_log(parts_, std::move(request), time));
}

Awaitable<LogFollower> OutputCalls::follow_log(WindowId window) {
  const TabPtr tab = co_await parts_.tabs.find(window);
  co_return follower_of(parts_, tab, tab->log.counted_end());
}

Awaitable<FoundLines> OutputCalls::search_logs(SearchLogs request) {
  return parts_.times.within_call_time(find_lines(parts_, std::move(request)));
}

Awaitable<WaitForResult> OutputCalls::wait_for(WaitFor request) {
  const std::uint64_t timeout_ms = request.waiting.timeout_ms;
  const std::uint64_t limit_ms = std::min(timeout_ms, parts_.times.sync_window_ms());
  const CallTime time(request.hand_over ? limit_ms : timeout_ms,
                      request.waiting.arrived.value_or(Clock::now()));
  return parts_.times.within(time, wait_in_tab(parts_, std::move(request), time));
}

Awaitable<std::optional<WaitForResult>> OutputCalls::wait_behind(WaitFor request,
                                                                 std::vector<std::string>& notes) {
  try {
    co_return co_await wait_for(std::move(request));
  } catch (const Error& error) {
    notes.push_back(std::string("not waited for: ") + error.what());
  }
  co_return std::nullopt;
}

}  // namespace terminally
