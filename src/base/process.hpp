#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace terminally {

using Argv = std::vector<std::string>;

/// How a process ended and what it printed.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number when a signal ended it
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// Runs `argv` (looked up on PATH, never through a shell) with stdin from /dev/null and waits until it ended.
/// At the deadline, or when the coroutine is cancelled, the process is killed and reaped before this returns
/// or throws. `environment` is the whole environment of the process ("NAME=value"); empty: ours. Throws
/// Error(io) when it cannot be started.
[[nodiscard]] boost::asio::awaitable<ProcessResult> run_process(Argv argv, std::chrono::milliseconds deadline,
                                                                std::vector<std::string> environment = {});

}  // namespace terminally
