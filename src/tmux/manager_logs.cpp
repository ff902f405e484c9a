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

/// Where a chunk of about `wanted` bytes ends: between characters and outside of any sequence.
std::size_t text_border(std::string_view bytes, std::size_t wanted, bool at_end) {
  const std::size_t cut = safe_cut(bytes.substr(0, wanted), false);
  if (cut != 0 || bytes.size() <= wanted) {
    // At the end of the log, what is unfinished is left for the next call, unless it is all there is.
    return cut != 0 || at_end ? (cut != 0 ? cut : bytes.size()) : safe_cut(bytes, true);
  }
  AnsiStripper stripper;
  std::string ignored;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    stripper.feed(bytes.substr(i, 1), ignored);
    if (stripper.unfinished_bytes() == 0) {
      return i + 1;
    }
  }
  return bytes.size();
}

}  // namespace

TmuxManager::Awaitable<LogLines> TmuxManager::Impl::read_lines(WindowId window, std::uint64_t lines,
                                                               TextView view) {
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
  // As text, a sequence that is longer than the chunk is taken whole: it is no text, or would be cut into
  // some.
  const std::size_t more = request.exact ? 0 : kMaxSequenceBytes + 4;
  const PaneLog::Slice slice =
      tab->log.read(request.from_byte, static_cast<std::size_t>(request.max_bytes) + more);
  LogChunk chunk;
  chunk.gap_bytes = slice.gap_bytes;
  chunk.gap_unknown = slice.gap_unknown;
  std::string_view bytes = slice.bytes;
  if (!request.exact) {
    bytes = bytes.substr(0, text_border(bytes, static_cast<std::size_t>(request.max_bytes), slice.eof));
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
