#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/timeout.hpp"
#include "base/unique_fd.hpp"

namespace terminally {

/// Keeps the promise that the program is gone in time, whatever holds it then: the event loop, a thread, the
/// machine. One a process.
class ExitGuard {
 public:
  /// `clean_up`: arguments for this same program, which puts away what is left when the guard had to act.
  /// Empty: nothing is to be put away.
  explicit ExitGuard(std::vector<std::string> clean_up);
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
  /// Nothing happens any more.
  ~ExitGuard();

  /// The process exits with code 0 so long from now at the latest. Only the first call counts: returns when
  /// that was. From any thread.
  Clock::time_point arm(std::chrono::milliseconds time);

  /// Arms itself at the moment that the other end of this pipe or socket is closed, however late the event
  /// loop comes to see that. A file or terminal that cannot hang up: never. Once.
  void arm_at_hang_up(int fd, std::chrono::milliseconds time);

 private:
  void watch(std::chrono::milliseconds time);

  std::vector<std::string> clean_up_;
  std::vector<char*> argv_;
  std::atomic<Clock::time_point> armed_at_{Clock::time_point()};  ///< zero: not yet
  UniqueFd watched_;
  UniqueFd stop_;
  std::thread watcher_;  ///< the only one that always has time
};

}  // namespace terminally
