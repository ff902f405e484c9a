#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace terminally {

using Argv = std::vector<std::string>;

/// As execve takes them, with a null behind. To be used while `strings` are there.
[[nodiscard]] std::vector<char*> pointers(const std::vector<std::string>& strings);

/// Becomes this program: what comes after it is its. With the signals that we ignore at their defaults again,
/// as those of a ChildProcess are: they would be inherited. Throws Error(io) when it cannot be run.
[[noreturn]] void become(const Argv& argv);

/// How a process ended and what it printed.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number when a signal ended it
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// A process of ours, started by argv (looked up on PATH, never through a shell). Killed and reaped when this
/// goes out of scope before it has ended.
class ChildProcess {
 public:
  enum class Kept : std::uint8_t {
    no,
    to_our_end,  ///< killed by the system when this process ends, however it does
    as_session,  ///< in a session of its own: what is left of its process group ends with it
  };

  /// `environment` is the whole environment of the process ("NAME=value"); empty: ours. Throws Error(io) when
  /// it cannot be started.
  ChildProcess(const boost::asio::any_io_executor& executor, const Argv& argv,
               const std::vector<std::string>& environment = {}, Kept kept = Kept::no);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool has_ended() const;
  /// Where its waits go on.
  [[nodiscard]] boost::asio::any_io_executor executor() const;
  /// -1: it was reaped.
  [[nodiscard]] int pid() const;

  /// Gives it `input` as its standard input, to the end of it, and waits until it ended. At the deadline, or
  /// when the coroutine is cancelled, it is killed and reaped before this returns or throws. Only once.
  [[nodiscard]] boost::asio::awaitable<ProcessResult> finish(std::string input,
                                                             std::chrono::milliseconds deadline);

  /// For one that is talked with, in place of `finish`. Writes all of it to its standard input. False: it
  /// does not read any more. One at a time.
  [[nodiscard]] boost::asio::awaitable<bool> write(std::string text);
  /// What it prints next; empty: no more, from it or from who else has its output.
  [[nodiscard]] boost::asio::awaitable<std::string> read_some();
  /// The same of its standard error.
  [[nodiscard]] boost::asio::awaitable<std::string> read_some_errors();
  /// Until it has ended. For all four this has to live until they return.
  [[nodiscard]] boost::asio::awaitable<void> ended();
  /// Of one that has ended, and is reaped by that: 128 + signal number when a signal ended it.
  [[nodiscard]] int exit_code();
  /// Kills and reaps it now, and ends what waits for it as where it had ended by itself.
  void end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a process without input to its end, as ChildProcess does.
[[nodiscard]] boost::asio::awaitable<ProcessResult> run_process(Argv argv, std::chrono::milliseconds deadline,
                                                                std::vector<std::string> environment = {});

/// The same where there is no event loop, or it may wait; exit code 127 where it cannot be started.
[[nodiscard]] ProcessResult run_and_wait(Argv argv, std::chrono::milliseconds deadline);

}  // namespace terminally
