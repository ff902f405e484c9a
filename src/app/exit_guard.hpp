#pragma once

#include <chrono>

#include "base/timeout.hpp"

namespace terminally {

/// Keeps the promise that the program is gone in time, whatever holds it then: the event loop, a thread, the
/// machine. What is left then, the next start puts away, or `instances clean`. One a process.
class ExitGuard {
 public:
  ExitGuard() = default;
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  /// Nothing happens any more.
  ~ExitGuard();

  /// The process exits with code 0 so long from now at the latest. Only the first call counts: returns when
  /// that was.
  Clock::time_point arm(std::chrono::milliseconds time);

  /// Arms itself at the moment that the other end of this pipe or socket is closed, however late the event
  /// loop comes to see that: by SIGIO, which comes with all that is written there, too. A file or terminal
  /// that cannot hang up: never. Once.
  void arm_at_hang_up(int fd, std::chrono::milliseconds time);
};

}  // namespace terminally
