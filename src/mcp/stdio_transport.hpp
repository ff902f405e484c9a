#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "mcp/line_writer.hpp"

namespace terminally {

class Session;

/// The two ends of a connection over stdin and stdout.
struct StdioPair {
  UniqueFd in;
  UniqueFd out;
};

/// Takes stdin and stdout for the protocol alone: both are moved to private descriptors that no child
/// inherits; what is left at 0 is /dev/null, at 1 stderr, so that nothing else can read a request or write
/// into a reply. From here on SIGPIPE is ignored. Throws `Error` (io).
[[nodiscard]] StdioPair take_stdio();

/// Messages as lines over a pair of descriptors: pipes, sockets, terminals, files or /dev/null.
/// Their file status flags are shared with other processes: they are put back in the destructor.
class StdioTransport {
 public:
  StdioTransport(const boost::asio::any_io_executor& executor, StdioPair pair);
  ~StdioTransport();
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  /// Queues a message for the client. False if it may be dropped and was.
  bool send(const std::string& message, Delivery delivery) { return writer_.send(message, delivery); }

  /// Feeds the session until the input ends or the client takes no more output, then closes it; with
  /// `stop_calls` its calls are cancelled. What was queued by then still has half a second to get out. While
  /// the client does not read, neither do we: the queue stays bounded. Cancellable.
  [[nodiscard]] boost::asio::awaitable<void> run(Session& session, bool stop_calls);

 private:
  struct Input;

  [[nodiscard]] boost::asio::awaitable<void> read_lines(Session& session, bool stop_calls);
  [[nodiscard]] boost::asio::awaitable<bool> read_some(Session& session);
  [[nodiscard]] boost::asio::awaitable<bool> serve_lines(Session& session);
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_room();

  class FlagsGuard;

  std::unique_ptr<FlagsGuard> in_flags_;
  std::unique_ptr<FlagsGuard> out_flags_;
  std::unique_ptr<Input> input_;
  LineWriter writer_;
};

}  // namespace terminally
