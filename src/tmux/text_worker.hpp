#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "base/worker.hpp"
#include "tmux/fitting.hpp"
#include "tmux/output.hpp"
#include "tmux/screen_text.hpp"

namespace terminally {

/// Log bytes as text for a reader, masked if the view says so, for the event loop: what may take long goes to
/// a thread of its own.
class TextWorker {
 public:
  [[nodiscard]] boost::asio::awaitable<FittingText> fitting_text(LogPart part, TextView view, int cols,
                                                                 Keep keep, std::uint64_t budget);

  [[nodiscard]] boost::asio::awaitable<BoundedText> bounded_text(PaneLog log, OutputRange range,
                                                                 TextView view, int cols,
                                                                 std::uint64_t max_bytes);

  /// The answer of tmux to a ScreenQuery.
  [[nodiscard]] boost::asio::awaitable<TabScreen> screen(std::string answer, ReadScreen request);

 private:
  Worker worker_;
};

}  // namespace terminally
