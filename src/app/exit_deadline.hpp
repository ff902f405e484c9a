#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/timeout.hpp"

namespace terminally {

/// Keeps the promise that the program ends in time, whatever holds it up: the event loop, a thread, the
/// machine. One per process.
class ExitDeadline {
 public:
  ExitDeadline() = default;
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;
  /// Disarms the guard.
  ~ExitDeadline();

  /// What is run once such an end is over, to do what this process did not come to: this program
  /// with these arguments, in a session of its own, without input and output. To be called before the guard
  /// is armed.
  void leave_rest_to(std::vector<std::string> argv);

  /// Makes the process exit with code 0 after `time` at the latest. Only the first call counts; every call
  /// returns the moment of the first one.
  Clock::time_point arm(std::chrono::milliseconds time);

  /// Arms the guard when the other end of this pipe or socket is closed, however late the event loop notices.
  /// It works by SIGIO, which also comes with each write to the other end. A file or terminal that cannot
  /// hang up never arms it. To be called once.
  void arm_at_hang_up(int fd, std::chrono::milliseconds time);
};

}  // namespace terminally
