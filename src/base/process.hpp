#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace terminally {

using Argv = std::vector<std::string>;

/// The pointers that execve takes, with a null at the end. They are valid as long as `strings` is.
[[nodiscard]] std::vector<char*> pointers(const std::vector<std::string>& strings);

/// Replaces this process by a program (execvp). Sets the signals that we ignore to their defaults first,
/// because the program would inherit them. Throws Error(io) when the program cannot be run.
[[noreturn]] void become(const Argv& argv);

/// How a process ended and what it printed.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number when a signal ended it
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// A child process, started by argv (looked up on PATH, never through a shell). A child that has not ended
/// when the object goes out of scope is killed; one that does not die, as it waits for a file system that
/// hangs, is reaped later. None of this waits for a file system.
class ChildProcess {
 public:
  enum class Kept : std::uint8_t {
    no,
    as_session,  ///< in a session of its own: the rest of its process group is killed with it
  };

  /// `environment` is the whole environment of the process ("NAME=value"); empty: ours. Throws Error(io)
  /// where there can be no process. Where the program cannot be run, the process ends, and `finish` and
  /// `exit_code` throw Error(io) that names it.
  ChildProcess(const boost::asio::any_io_executor& executor, const Argv& argv,
               const std::vector<std::string>& environment = {}, Kept kept = Kept::no);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] boost::asio::any_io_executor executor() const;
  /// -1 once the process was reaped.
  [[nodiscard]] int pid() const;

  /// Gives the process `input` as its whole standard input, and waits until it has ended. Kills the
  /// process at the deadline, or when the coroutine is cancelled, before returning or throwing. Only once.
  [[nodiscard]] boost::asio::awaitable<ProcessResult> finish(std::string input,
                                                             std::chrono::milliseconds deadline);

  /// For a dialogue, in place of `finish`: writes `text` to the standard input of the process. False: the
  /// process does not read any more. One call at a time.
  [[nodiscard]] boost::asio::awaitable<bool> write(std::string text);
  /// What the process prints next; empty: the output has ended, also for others that have inherited it.
  [[nodiscard]] boost::asio::awaitable<std::string> read_some();
  /// As read_some, of standard error.
  [[nodiscard]] boost::asio::awaitable<std::string> read_some_errors();
  /// Returns when the process has ended. The object must live until any of these four calls returns.
  [[nodiscard]] boost::asio::awaitable<void> ended();
  /// Reaps a process that has ended. 128 + signal number when a signal ended it.
  [[nodiscard]] int exit_code();
  /// Kills the process now. Coroutines that wait for it go on as if it had ended by itself.
  void end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a process without input until it ends or the deadline kills it.
[[nodiscard]] boost::asio::awaitable<ProcessResult> run_process(Argv argv, std::chrono::milliseconds deadline,
                                                                std::vector<std::string> environment = {});

/// As run_process, but blocks: for callers without an event loop. Exit code 127: could not be started.
[[nodiscard]] ProcessResult run_and_wait(Argv argv, std::chrono::milliseconds deadline);

/// Whether we may run this file.
[[nodiscard]] bool is_program(const std::filesystem::path& path);

/// `name` itself when it has a slash, else the first such program on PATH. Unlike execvp(3) this skips
/// relative directories of PATH: they mean another place in each working directory. Empty when there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

}  // namespace terminally
