#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/timeout.hpp"
#include "base/worker.hpp"
#include "log/log_text.hpp"
#include "log/output.hpp"
#include "tmux/wire/screen_text.hpp"

namespace terminally {

/// Log bytes as text for a reader, masked if the view says so, for the event loop: what may take long goes to
/// a thread of its own, the shortest first. What is not made `by` then is given up: nullopt. Each says what
/// it has masked; the guard counts nothing.
class TextWorker {
 public:
  template <typename T>
  using MadeInTime = boost::asio::awaitable<std::optional<T>>;

  [[nodiscard]] MadeInTime<FittingText> fitting_text(LogPart part, TextView view, int cols, Keep keep,
                                                     std::uint64_t budget, Clock::time_point by);

  [[nodiscard]] MadeInTime<BoundedText> bounded_text(PaneLog log, OutputRange range, TextView view, int cols,
                                                     std::uint64_t max_bytes, Clock::time_point by);

  /// The answer of tmux to a `screen_query`.
  [[nodiscard]] MadeInTime<TabScreen> screen(std::string answer, ReadScreen request, Clock::time_point by);

 private:
  template <typename T>
  MadeInTime<T> made(std::uint64_t cost, Clock::time_point by, std::function<T()> make);

  Worker worker_;
};

/// What its reader is told then, and the call that reads the log from this byte on all the same: in parts
/// that are so short that they never go to the thread.
[[nodiscard]] std::string not_ready(const std::string& what, WindowId window, std::uint64_t from_byte);

}  // namespace terminally
