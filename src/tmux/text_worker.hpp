#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "base/worker.hpp"
#include "tmux/output.hpp"

namespace terminally {

/// The functions of output.hpp for the event loop: what may take long goes to a thread of its own.
class TextWorker {
 public:
  [[nodiscard]] boost::asio::awaitable<std::string> log_text(std::string bytes, TextView view, int cols);

  [[nodiscard]] boost::asio::awaitable<BoundedText> bounded_text(PaneLog log, std::uint64_t begin,
                                                                 std::uint64_t end, TextView view, int cols,
                                                                 std::uint64_t max_bytes);

 private:
  Worker worker_;
};

}  // namespace terminally
