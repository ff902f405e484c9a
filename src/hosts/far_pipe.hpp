#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "base/event.hpp"
#include "base/process.hpp"
#include "base/timeout.hpp"
#include "hosts/hosts_file.hpp"
#include "stdio/line_framer.hpp"

namespace terminally {

/// What the command prints next, as read_some; empty as well once the command itself has ended for half a
/// second: something that it left behind may hold its output open for ever.
[[nodiscard]] boost::asio::awaitable<std::string> read_while_it_lives(ChildProcess& process);

/// The pipe to a far side: its hello first, then lines both ways. All buffers are bounded. The object must
/// outlive its coroutines. Single-threaded.
class FarPipe {
 public:
  static constexpr std::size_t kMostUnsentBytes = std::size_t{64} << 20U;

  /// Starts the command.
  FarPipe(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv);

  [[nodiscard]] boost::asio::any_io_executor executor() { return process_.executor(); }

  /// Returns once the far side has said hello. Throws Error that explains what the far side printed instead,
  /// or how it ended.
  [[nodiscard]] boost::asio::awaitable<void> hello(std::string nonce);
  /// Throws the Error of a far side whose hello did not come within `waited`.
  [[noreturn]] void throw_late(Milliseconds waited) const;

  /// The next line, valid until the next call; nullopt at the end of the pipe.
  [[nodiscard]] boost::asio::awaitable<std::optional<LineFramer::Line>> line();
  /// When the far side was last heard; a later moment while sent bytes may still be on their way.
  [[nodiscard]] Clock::time_point heard() const { return heard_; }
  /// The last 4 KiB of standard error, once it has ended or after 0.5 s.
  [[nodiscard]] boost::asio::awaitable<std::string> last_words();

  /// Queues a line. False where too much waits already.
  [[nodiscard]] bool send(const std::string& line);
  [[nodiscard]] std::size_t unsent_bytes() const { return unsent_.size(); }

  // To be run beside `line`: they write the queue and read standard error. Both end with the pipe.
  [[nodiscard]] boost::asio::awaitable<void> write_loop();
  [[nodiscard]] boost::asio::awaitable<void> read_errors();

  /// Ends the command.
  void end();
  [[nodiscard]] boost::asio::awaitable<void> ended() { return process_.ended(); }

 private:
  [[noreturn]] void throw_ended(const std::string& printed, bool too_much, int exit_code) const;

  HostEntry host_;
  ChildProcess process_;
  LineFramer framer_;
  std::string unsent_;
  Event has_unsent_;
  Event errors_are_read_;
  std::string printed_;     ///< output before the hello
  std::string complained_;  ///< the last bytes of standard error
  bool over_ = false;
  Clock::time_point heard_;
};

}  // namespace terminally
