// Logs: the last lines, any range by offset, waiting for more.

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "tmux/ansi.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/output.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostLogBytes = 256 * 1024;

std::uint64_t count_lines(std::string_view text) {
  const auto newlines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

}  // namespace

TmuxManager::Awaitable<LogLines> TmuxManager::Impl::read_lines(WindowId window, std::uint64_t lines, TextView view) {
  const TabPtr tab = co_await find_tab(window);
  const PaneLog::Tail tail = tab->log.last_lines(lines, kMostLogBytes);
  LogLines result;
  result.content = log_text(tail.bytes, view, tab->cols);
  result.returned_lines = view.render ? count_lines(result.content) : tail.lines;
  result.truncated = tail.truncated;
  result.next_byte = tail.next;
  co_return result;
}

TmuxManager::Awaitable<LogChunk> TmuxManager::Impl::read_chunk(ReadLogChunk request) {
  const TabPtr tab = co_await find_tab(request.window_id);
  if (request.wait_ms != 0 && tab->log.end() <= request.from_byte && !tab->closed) {
    LogWatch::Watch watch = watch_.watch(tab->log.path());
    const auto deadline = Clock::now() + Milliseconds(request.wait_ms);
    while (tab->log.end() <= request.from_byte && Clock::now() < deadline) {
      co_await finish_by(std::min(deadline, Clock::now() + Milliseconds(500)), watch.changed());
      if (notice_if_closed(*tab)) {
        break;
      }
    }
  }
  const PaneLog::Slice slice = tab->log.read(request.from_byte, static_cast<std::size_t>(request.max_bytes));
  LogChunk chunk;
  chunk.gap_bytes = slice.gap_bytes;
  std::string_view bytes = slice.bytes;
  if (!request.exact && !slice.eof) {
    bytes = bytes.substr(0, safe_cut(bytes, true));
  } else if (!request.exact) {
    // The end of the log may be the middle of a character or a sequence: leave that for the next call, unless it is all there is.
    const std::size_t cut = safe_cut(bytes, false);
    bytes = cut == 0 ? bytes : bytes.substr(0, cut);
  }
  chunk.next_byte = slice.from + bytes.size();
  chunk.eof = slice.eof && bytes.size() == slice.bytes.size();
  if (slice.bytes.empty()) {
    chunk.next_byte = slice.next;
  }
  chunk.chunk = request.exact ? std::string(bytes) : log_text(bytes, request.view, tab->cols);
  co_return chunk;
}

}  // namespace terminally
