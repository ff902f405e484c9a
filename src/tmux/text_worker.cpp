#include "tmux/text_worker.hpp"

#include <memory>
#include <utility>

namespace terminally {
namespace {

/// Stripping does a gigabyte a second, rendering 10 MB.
constexpr std::uint64_t kRenderedAtOnce = 32 * 1024;

bool takes_long(std::uint64_t bytes, TextView view) {
  return view.render && bytes > kRenderedAtOnce;
}

}  // namespace

boost::asio::awaitable<std::string> TextWorker::log_text(std::string bytes, TextView view, int cols) {
  if (!takes_long(bytes.size(), view)) {
    co_return terminally::log_text(bytes, view, cols);
  }
  const auto text = std::make_shared<std::string>();
  co_await worker_.run(
      [text, bytes = std::move(bytes), view, cols] { *text = terminally::log_text(bytes, view, cols); });
  co_return std::move(*text);
}

boost::asio::awaitable<BoundedText> TextWorker::bounded_text(PaneLog log, std::uint64_t begin,
                                                             std::uint64_t end, TextView view, int cols,
                                                             std::uint64_t max_bytes) {
  if (end <= begin || !takes_long(end - begin, view)) {
    co_return terminally::bounded_text(log, begin, end, view, cols, max_bytes);
  }
  const auto text = std::make_shared<BoundedText>();
  std::function<void()> work = [text, log = std::move(log), begin, end, view, cols, max_bytes] {
    *text = terminally::bounded_text(log, begin, end, view, cols, max_bytes);
  };
  co_await worker_.run(std::move(work));
  co_return std::move(*text);
}

}  // namespace terminally
