#pragma once

#include <chrono>
#include <string>
#include <vector>

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

  /// The process exits with code 0 so long from now at the latest. Only the first call counts.
  void arm(std::chrono::milliseconds time);

 private:
  std::vector<std::string> clean_up_;
  std::vector<char*> argv_;
  bool armed_ = false;
};

}  // namespace terminally
