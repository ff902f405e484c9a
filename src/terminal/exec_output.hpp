#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/event.hpp"
#include "log/log_follower.hpp"
#include "terminal/heartbeat.hpp"
#include "text/line_ends.hpp"

namespace terminally {

/// What a command prints, to stdout, at the pace of whoever reads that: a pager that nobody scrolls must not
/// keep us from a signal or a time-out. What the reader is behind with waits in the tab's log.
class ExecOutput {
 public:
  /// `failed` is told, once, that stdout takes no more: `OutputClosed` or `Error`.
  ExecOutput(boost::asio::io_context& io, Heartbeat& heartbeat,
             std::function<void(const std::exception_ptr&)> failed);

  /// Writes all that is followed, until that ends or `finish`.
  void follow(LogFollower output);
  /// Nothing more comes than what is there by now.
  void finish();
  /// Returns when all of it is written, or can not be.
  [[nodiscard]] boost::asio::awaitable<void> written() { return written_.wait(); }
  /// Who reads nothing is not waited for any more.
  void hurry();

 private:
  [[nodiscard]] std::string shown(std::string_view bytes);
  [[nodiscard]] boost::asio::awaitable<void> write();
  [[nodiscard]] boost::asio::awaitable<bool> write_all(std::string text);
  [[nodiscard]] boost::asio::awaitable<void> write_some();

  boost::asio::io_context& io_;
  Heartbeat& heartbeat_;
  std::function<void(const std::exception_ptr&)> failed_;
  boost::asio::posix::stream_descriptor out_;  ///< closed: stdout is written to as it is
  bool on_terminal_;
  LineEnds line_ends_;  ///< for a pipe or a file, which get what the command printed
  std::optional<LogFollower> output_;
  std::string writing_;
  std::size_t done_ = 0;  ///< of `writing_`
  bool hurries_ = false;
  Event written_;
};

}  // namespace terminally
