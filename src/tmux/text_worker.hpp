#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "base/worker.hpp"
#include "tmux/masking.hpp"
#include "tmux/output.hpp"

namespace terminally {

/// Log bytes as text for a reader, masked if the view says so, for the event loop: what may take long goes to
/// a thread of its own.
class TextWorker {
 public:
  [[nodiscard]] boost::asio::awaitable<std::string> log_text(LogPart part, TextView view, int cols);

  [[nodiscard]] boost::asio::awaitable<BoundedText> bounded_text(PaneLog log, OutputRange range,
                                                                 TextView view, int cols,
                                                                 std::uint64_t max_bytes);

 private:
  Worker worker_;
};

}  // namespace terminally
