#include "tmux/text_worker.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "command/busy.hpp"

namespace terminally {
namespace {

/// Stripping does a gigabyte a second, masking 50 MB, rendering 10 MB.
constexpr std::uint64_t kDoneAtOnce = 32 * 1024;
constexpr std::uint64_t kRenderingCosts = 5;  ///< times what masking does

bool takes_long(std::uint64_t bytes, const TextView& view) {
  return (view.render || view.guard) && bytes > kDoneAtOnce;
}

std::uint64_t cost_of(std::uint64_t bytes, const TextView& view) {
  return view.render ? bytes * kRenderingCosts : bytes;
}

}  // namespace

std::string not_ready(const std::string& what, WindowId window, std::uint64_t from_byte) {
  return what +
         " was not ready when the time of this call was over (one thread makes all long texts, the shortest "
         "first); short parts of it need no wait: " +
         next_call("stream_logs_from_tab", window,
                   "\"from_byte\": " + std::to_string(from_byte) +
                       ", \"max_bytes\": " + std::to_string(kDoneAtOnce));
}

template <typename T>
TextWorker::MadeInTime<T> TextWorker::make_by(Clock::time_point by, std::uint64_t cost,
                                              std::function<T()> make) {
  if (Clock::now() >= by) {
    co_return std::nullopt;  // nobody would wait for it
  }
  const auto made = std::make_shared<T>();
  std::function<void()> work = [made, make = std::move(make)] { *made = make(); };
  if (!co_await finish_by(by, worker_.run(cost, std::move(work)))) {
    co_return std::nullopt;
  }
  co_return std::move(*made);
}

TextWorker::MadeInTime<FittingText> TextWorker::fitting_text(LogPart part, TextView view, int cols, Keep keep,
                                                             std::uint64_t budget, Clock::time_point by) {
  const std::uint64_t bytes = part.bytes.size();
  if (!takes_long(bytes, view)) {
    co_return terminally::fitting_text(std::move(part), std::move(view), cols, keep, budget);
  }
  const std::uint64_t cost = cost_of(bytes, view);
  std::function<FittingText()> make = [part = std::move(part), view = std::move(view), cols, keep, budget] {
    return terminally::fitting_text(part, view, cols, keep, budget);
  };
  co_return co_await make_by(by, cost, std::move(make));
}

TextWorker::MadeInTime<TabScreen> TextWorker::screen(std::string answer, ReadScreen request,
                                                     Clock::time_point by) {
  const std::uint64_t bytes = answer.size();
  if (bytes <= kDoneAtOnce) {
    co_return read_screen_answer(answer, request);
  }
  std::function<TabScreen()> make = [answer = std::move(answer), request = std::move(request)] {
    return read_screen_answer(answer, request);
  };
  co_return co_await make_by(by, bytes, std::move(make));
}

TextWorker::MadeInTime<BoundedText> TextWorker::bounded_text(PaneLog log, OutputRange range, TextView view,
                                                             int cols, std::uint64_t max_bytes,
                                                             Clock::time_point by) {
  const std::uint64_t bytes = range.end - std::min(range.begin, range.end);
  if (!takes_long(bytes, view)) {
    co_return terminally::bounded_text(log, range, view, cols, max_bytes);
  }
  const std::uint64_t cost = cost_of(bytes, view);
  std::function<BoundedText()> make = [log = std::move(log), range, view = std::move(view), cols, max_bytes] {
    return terminally::bounded_text(log, range, view, cols, max_bytes);
  };
  co_return co_await make_by(by, cost, std::move(make));
}

}  // namespace terminally
