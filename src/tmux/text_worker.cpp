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

}  // namespace

boost::asio::awaitable<FittingText> TextWorker::fitting_text(LogPart part, TextView view, int cols, Keep keep,
                                                             std::uint64_t budget) {
  if (!takes_long(part.bytes.size(), view)) {
    co_return terminally::fitting_text(part, view, cols, keep, budget);
  }
  const auto text = std::make_shared<FittingText>();
  std::function<void()> work = [text, part = std::move(part), view, cols, keep, budget] {
    *text = terminally::fitting_text(part, view, cols, keep, budget);
  };
  co_await worker_.run(std::move(work));
  co_return std::move(*text);
}

boost::asio::awaitable<TabScreen> TextWorker::screen(std::string answer, ReadScreen request) {
  if (answer.size() <= kDoneAtOnce) {
    co_return read_screen_answer(answer, request);
  }
  const auto screen = std::make_shared<TabScreen>();
  std::function<void()> work = [screen, answer = std::move(answer), request = std::move(request)] {
    *screen = read_screen_answer(answer, request);
  };
  co_await worker_.run(std::move(work));
  co_return std::move(*screen);
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
