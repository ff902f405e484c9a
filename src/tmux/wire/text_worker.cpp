#include "tmux/wire/text_worker.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "command/busy.hpp"

namespace terminally {
namespace {

/// Stripping does a gigabyte a second, masking 50 MB, rendering 10 MB.
constexpr std::uint64_t kDoneAtOnce = 32 * 1024;
constexpr std::uint64_t kRenderingCosts = 5;  ///< times what masking does

/// 0: no thread is asked.
std::uint64_t cost_of(std::uint64_t bytes, const TextView& view) {
  const bool takes_long = (view.render || view.guard) && bytes > kDoneAtOnce;
  return takes_long ? bytes * (view.render ? kRenderingCosts : 1) : 0;
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
TextWorker::MadeInTime<T> TextWorker::made(std::uint64_t cost, Clock::time_point by,
                                           std::function<T()> make) {
  if (cost == 0) {
    co_return make();
  }
  if (Clock::now() >= by) {
    co_return std::nullopt;  // nobody would wait for it
  }
  const auto text = std::make_shared<T>();
  std::function<void()> work = [text, make = std::move(make)] { *text = make(); };
  if (!co_await run_until(by, worker_.run(cost, std::move(work)))) {
    co_return std::nullopt;
  }
  co_return std::move(*text);
}

TextWorker::MadeInTime<FittingText> TextWorker::fitting_text(LogPart part, TextView view, int cols, Keep keep,
                                                             std::uint64_t budget, Clock::time_point by) {
  const std::size_t drawn_before = view.render ? part.drawn_before.size() + part.before.size() : 0;
  const std::uint64_t cost = cost_of(part.bytes.size() + drawn_before, view);
  return made<FittingText>(
      cost, by, [part = std::move(part), view = std::move(view), cols, keep, budget]() mutable {
        return terminally::fitting_text(std::move(part), std::move(view), cols, keep, budget);
      });
}

TextWorker::MadeInTime<TabScreen> TextWorker::screen(std::string answer, ReadScreen request,
                                                     Clock::time_point by) {
  const std::uint64_t cost = answer.size() <= kDoneAtOnce ? 0 : answer.size();
  return made<TabScreen>(cost, by, [answer = std::move(answer), request = std::move(request)] {
    return read_screen_answer(answer, request);
  });
}

TextWorker::MadeInTime<BoundedText> TextWorker::bounded_text(PaneLog log, OutputRange range, TextView view,
                                                             int cols, std::uint64_t max_bytes,
                                                             Clock::time_point by) {
  const std::uint64_t drawn_before = view.render ? std::min(range.begin - range.first, kScreenBytes) : 0;
  const std::uint64_t cost = cost_of(range.end - std::min(range.begin, range.end) + drawn_before, view);
  return made<BoundedText>(cost, by, [log = std::move(log), range, view = std::move(view), cols, max_bytes] {
    return terminally::bounded_text(log, range, view, cols, max_bytes);
  });
}

}  // namespace terminally
