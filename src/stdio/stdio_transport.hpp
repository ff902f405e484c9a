#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptors.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "json/envelope.hpp"
#include "stdio/line_writer.hpp"

namespace terminally {

class Peer;

/// The two ends of a connection over stdin and stdout.
struct StdioPair {
  UniqueFd in;
  UniqueFd out;
};

/// Takes stdin and stdout for the protocol alone: both are moved to private descriptors that no child
/// inherits. Descriptor 0 becomes /dev/null and 1 becomes stderr, so that nothing else can read a request or
/// write into a reply. Ignores SIGPIPE from here on. Throws `Error` (io).
[[nodiscard]] StdioPair take_stdio();

/// Shared state about the end of a connection.
struct Ending {
  Event asked;                                  ///< set to end the connection, as by a signal
  Clock::time_point last_heard = Clock::now();  ///< when the last bytes came from the client
  bool goodbye = false;                         ///< the client said that it will not come back
  /// Called when the end begins, for whatever reason; may be empty, and may be called twice. Returns when the
  /// end began: that may be the client's hang-up, which a busy event loop notices later.
  std::function<Clock::time_point()> on_begin;
};

/// Messages as lines over a pair of descriptors: pipes, sockets, terminals, files or /dev/null.
/// Other processes share the descriptors' file status flags, so the destructor restores them.
class StdioTransport {
 public:
  /// How long requests have after the end of the input to be answered, and the client to read the answers.
  static constexpr std::chrono::milliseconds kAnswersWithin{1'300};

  /// What is forwarded to a gateway as one more line is no longer than this, though the client used all it
  /// may.
  static constexpr std::size_t kMostForwarded = kMaxLineBytes + (std::size_t{64} << 10U);

  StdioTransport(const boost::asio::any_io_executor& executor, StdioPair pair,
                 Milliseconds answers_within = kAnswersWithin, std::size_t longest_line = kMaxLineBytes);
  ~StdioTransport();
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  /// The one stream for all messages to the client. A dropped call may keep the stream after the transport.
  [[nodiscard]] const std::shared_ptr<Stream>& stream() const { return stream_; }

  /// Feeds the peer until the input ends, the client takes no more output, or the end is asked for; then
  /// closes the peer. After the end of the input, requests are answered within `answers_within`; later ones
  /// get an error. Subscriptions get their results in any case. With `stop_calls`, calls that are still under
  /// way are cancelled. While the client does not read, no input is read: the queue stays bounded.
  /// Cancellable. Throws `Error` (io) when the output could not be written, unless nobody reads it.
  [[nodiscard]] boost::asio::awaitable<void> run(Peer& peer, bool stop_calls, Ending& ending);

 private:
  struct Input;

  [[nodiscard]] boost::asio::awaitable<void> serve_input(Peer& peer, bool stop_calls);
  Clock::time_point note_end() const;
  [[nodiscard]] boost::asio::awaitable<void> finish(Peer& peer, Clock::time_point deadline);
  [[nodiscard]] boost::asio::awaitable<bool> read_some(Peer& peer);
  [[nodiscard]] boost::asio::awaitable<bool> serve_lines(Peer& peer);
  [[nodiscard]] boost::asio::awaitable<bool> wait_for_room(Peer& peer);
  [[nodiscard]] boost::asio::awaitable<void> room(Peer& peer);

  class FlagsGuard;
  class Lines;

  std::unique_ptr<FlagsGuard> in_flags_;
  std::unique_ptr<FlagsGuard> out_flags_;
  std::unique_ptr<Input> input_;
  std::shared_ptr<LineWriter> writer_;
  std::shared_ptr<Stream> stream_;
  Milliseconds answers_within_;
  std::function<Clock::time_point()> on_end_;
  Clock::time_point* last_heard_ = nullptr;       ///< of the Ending
  std::optional<Clock::time_point> given_up_at_;  ///< deadline of the answers, set once the client hung up
};

}  // namespace terminally
