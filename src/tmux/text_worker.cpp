#include "tmux/text_worker.hpp"

#include <memory>
#include <utility>

namespace terminally {
namespace {

/// Stripping does a gigabyte a second, masking 50 MB, rendering 10 MB.
constexpr std::uint64_t kDoneAtOnce = 32 * 1024;

bool takes_long(std::uint64_t bytes, const TextView& view) {
  return (view.render || view.guard) && bytes > kDoneAtOnce;
}

std::string text_of(const LogPart& part, const TextView& view, int cols) {
  return view.guard ? log_text(masked_bytes(view.guard, part), view, cols) : log_text(part.bytes, view, cols);
}

}  // namespace

boost::asio::awaitable<std::string> TextWorker::log_text(LogPart part, TextView view, int cols) {
  if (!takes_long(part.bytes.size(), view)) {
    co_return text_of(part, view, cols);
  }
  const auto text = std::make_shared<std::string>();
  std::function<void()> work = [text, part = std::move(part), view, cols] {
    *text = text_of(part, view, cols);
  };
  co_await worker_.run(std::move(work));
  co_return std::move(*text);
}

boost::asio::awaitable<BoundedText> TextWorker::bounded_text(PaneLog log, OutputRange range, TextView view,
                                                             int cols, std::uint64_t max_bytes) {
  if (range.end <= range.begin || !takes_long(range.end - range.begin, view)) {
    co_return terminally::bounded_text(log, range, view, cols, max_bytes);
  }
  const auto text = std::make_shared<BoundedText>();
  std::function<void()> work = [text, log = std::move(log), range, view, cols, max_bytes] {
    *text = terminally::bounded_text(log, range, view, cols, max_bytes);
  };
  co_await worker_.run(std::move(work));
  co_return std::move(*text);
}

}  // namespace terminally
