#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <string_view>

#include "base/timeout.hpp"

namespace terminally {

/// A line on stderr, where that is a terminal, that says every 5 s of silence how long a command has been
/// running. It stands on a line of its own and is gone before anything else is printed.
class Heartbeat {
 public:
  explicit Heartbeat(const boost::asio::any_io_executor& executor);

  void begin();
  /// Output is about to be written: the line goes, and stays away until that is written.
  void hold();
  /// Output was written: the silence begins anew.
  void output(std::string_view bytes);
  void end();

 private:
  void plan();
  void hide();

  boost::asio::steady_timer timer_;
  Clock::time_point begun_;
  bool on_terminal_;
  bool shown_ = false;
  bool at_line_start_ = true;  ///< else the line would stand in what the command has not finished
};

}  // namespace terminally
