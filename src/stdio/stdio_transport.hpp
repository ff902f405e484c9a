#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/event.hpp"
#include "base/timeout.hpp"
#include "base/unique_fd.hpp"
#include "stdio/line_writer.hpp"

namespace terminally {

class Peer;

/// The two ends of a connection over stdin and stdout.
struct StdioPair {
  UniqueFd in;
  UniqueFd out;
};

/// Takes stdin and stdout for the protocol alone: both are moved to private descriptors that no child
/// inherits; what is left at 0 is /dev/null, at 1 stderr, so that nothing else can read a request or write
/// into a reply. From here on SIGPIPE is ignored. Throws `Error` (io).
[[nodiscard]] StdioPair take_stdio();

/// How a connection comes to its end.
struct Ending {
  Event asked;                                  ///< set from outside, by a signal
  Clock::time_point last_heard = Clock::now();  ///< when something came from the client
  bool goodbye = false;                         ///< it has said that it does not come back
  /// Told when the end begins, for whatever reason; may be empty, or told twice. Returns when it began: at
  /// the client's hang-up, perhaps, which a busy event loop comes to see later.
  std::function<Clock::time_point()> on_begin;
};

/// Messages as lines over a pair of descriptors: pipes, sockets, terminals, files or /dev/null.
/// Their file status flags are shared with other processes: they are put back in the destructor.
class StdioTransport {
 public:
  /// What was asked before the end of the input has so long to be answered, and to be read by the client.
  static constexpr std::chrono::milliseconds kAnswersWithin{1'500};

  StdioTransport(const boost::asio::any_io_executor& executor, StdioPair pair,
                 Milliseconds answers_within = kAnswersWithin);
  ~StdioTransport();
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  /// Queues messages for the client, whatever they belong to: all go by one stream. A dropped call may hold
  /// it longer than the transport lives.
  [[nodiscard]] const std::shared_ptr<Stream>& stream() const { return stream_; }

  /// Feeds the peer until the input ends, the client takes no more output, or the end is asked for; then
  /// closes it. At the end of the input what was asked is answered first, within `answers_within`, and by an
  /// error what takes longer; subscriptions get their results in any case. With `stop_calls` what is still
  /// under way is cancelled then. While the client does not read, neither do we: the queue stays bounded.
  /// Cancellable. Throws `Error` (io) when the output could not be written for another reason than that
  /// nobody reads it.
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
  std::optional<Clock::time_point> given_up_at_;  ///< known since the client hung up
};

}  // namespace terminally
