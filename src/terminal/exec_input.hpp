#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <string>

#include "base/timeout.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// Standard input that is no terminal, passed on to a command in a tab through a named pipe, at the pace of
/// whoever reads that. The end of standard input is the end of the pipe. A command that does not read it is
/// not held up by it.
class ExecInput {
 public:
  explicit ExecInput(boost::asio::io_context& io) : io_(io), in_(io), out_(io), timer_(io) {}
  ExecInput(const ExecInput&) = delete;
  ExecInput& operator=(const ExecInput&) = delete;
  ~ExecInput() { end(); }

  /// Makes the pipe, among the instance's files. Throws Error(io).
  void make_pipe(const Instance& instance);
  /// The command has begun: what is read here is passed on as soon as its shell has opened the pipe.
  void begin();
  /// Empty: nothing is passed on.
  [[nodiscard]] const std::filesystem::path& pipe() const { return pipe_; }
  /// Whether the command has what is read here as its standard input.
  [[nodiscard]] bool is_taken() const { return taken_; }
  void end();

 private:
  [[nodiscard]] boost::asio::awaitable<void> pass_on();
  [[nodiscard]] boost::asio::awaitable<bool> opened();
  [[nodiscard]] boost::asio::awaitable<bool> read_some();
  [[nodiscard]] boost::asio::awaitable<bool> write_all();

  boost::asio::io_context& io_;
  boost::asio::posix::stream_descriptor in_;  ///< closed: a file, which never lets us wait
  boost::asio::posix::stream_descriptor out_;
  boost::asio::steady_timer timer_;
  std::filesystem::path pipe_;
  std::string held_;  ///< read, and not written yet
  bool taken_ = false;
  bool over_ = false;
};

}  // namespace terminally
