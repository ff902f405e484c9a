#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <string_view>

#include "base/timeout.hpp"

namespace terminally {

/// After each 5 s of silence, a line on stderr that says how long a command has been running, where stderr is
/// a terminal. The message stands on its own line and is erased before other output.
class Heartbeat {
 public:
  explicit Heartbeat(const boost::asio::any_io_executor& executor);

  void begin();
  /// To be called before output is written: erases the message, which stays away until `output`.
  void hold();
  /// To be called after output was written: restarts the silence.
  void output(std::string_view bytes);
  void end();

 private:
  void plan();
  void hide();

  boost::asio::steady_timer timer_;
  Clock::time_point begun_;
  bool on_terminal_;
  bool shown_ = false;
  bool at_line_start_ = true;  ///< else the message would stand inside the command's unfinished line
};

}  // namespace terminally
