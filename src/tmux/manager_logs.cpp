// Logs: the last lines, any range by offset, waiting for more.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "log/log_follower.hpp"
#include "log/log_text.hpp"
#include "log/output.hpp"
#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "tmux/manager.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostLogBytes = 256 * 1024;

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
  return log_part(tab.log, std::move(bytes), range);
}

Awaitable<LogLines> last_lines_of(ManagerParts& manager, WindowId window, std::uint64_t lines,
                                  TextView view) {
  const CallTime time = manager.call_time();
  const TabPtr tab = co_await manager.tabs.find(window);
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
    text = co_await manager.text_worker.fitting_text(std::move(part), view, tab->cols, Keep::end,
                                                     kMostLogBytes, time.returns_by());
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
  if (auto note = gap_note({tail.gap_bytes, tail.gap_unknown}, "these lines")) {
    result.notes.push_back(std::move(*note));
  }
  co_return result;
}

LogFollower follower_of(ManagerParts& manager, const TabPtr& tab, std::uint64_t from) {
  auto whole = std::make_unique<WholeLog>(manager.log_watch.watch(tab->log.path()),
                                          [tab] { return notice_if_closed(*tab); });
  return {tab->log, std::move(whole), from};
}

Awaitable<LogFollower> follower_from_end(ManagerParts& manager, WindowId window) {
  const TabPtr tab = co_await manager.tabs.find(window);
  co_return follower_of(manager, tab, tab->log.counted_end());
}

/// A call that does not wait for output has the time of any other call.
CallTime time_to_read(const ManagerParts& manager, const ReadLogChunk& request) {
  const std::uint64_t wait_ms = std::min(request.wait_ms, manager.config.sync_window_ms);
  return wait_ms == 0 ? manager.call_time() : CallTime(wait_ms);
}

Awaitable<LogChunk> part_of_log(ManagerParts& manager, ReadLogChunk request, CallTime time) {
  const TabPtr tab = co_await manager.tabs.find(request.window_id);
  request.view.own_files = tab->files.directory();
  if (request.from_byte == ReadLogChunk::kLogEnd) {
    request.from_byte = tab->log.counted_end();
  }
  refuse_beyond_end(tab->log, request.from_byte);
  if (request.wait_ms != 0 && !tab->closed) {
    LogFollower log = follower_of(manager, tab, request.from_byte);
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
    std::optional<FittingText> text = co_await manager.text_worker.fitting_text(
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
  co_return chunk;
}

}  // namespace

Awaitable<LogLines> TmuxManager::read_lines(WindowId tab, std::uint64_t lines, TextView view) {
  return parts_->within_call_time(last_lines_of(*parts_, tab, lines, std::move(view)));
}

Awaitable<LogChunk> TmuxManager::read_chunk(ReadLogChunk request) {
  const CallTime time = time_to_read(*parts_, request);
  return parts_->within(time, part_of_log(*parts_, std::move(request), time));
}

Awaitable<LogFollower> TmuxManager::follow_log(WindowId tab) {
  return follower_from_end(*parts_, tab);
}

}  // namespace terminally
