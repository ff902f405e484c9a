// Serves one MCP client over stdin and stdout: lines in, lines out, back pressure, and the end.
#include "stdio/stdio_transport.hpp"

#include <fcntl.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/error.hpp"
#include "json/json_rpc.hpp"
#include "mcp/peer.hpp"
#include "stdio/line_framer.hpp"

namespace terminally {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;  // NOLINT(google-build-using-namespace)

namespace {

constexpr auto kReadQuietly = asio::as_tuple(asio::use_awaitable);

UniqueFd duplicate(int fd, const char* what) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) {
    throw io_error(std::string("cannot use ") + what, errno);
  }
  return copy;
}

/// Mostly read by people who pipe requests into the server.
std::string why_unanswered(bool stop_calls) {
  return std::string(
             "The client's input (stdin) has ended, and this call was not finished in the 1.3 s before the "
             "server ends: ") +
         (stop_calls ? "it is cancelled"
                     : "it is not waited for, and a command that it began goes on in its tab") +
         "; to get its answer, keep stdin open until it is there";
}

}  // namespace

StdioPair take_stdio() {
  std::signal(SIGPIPE, SIG_IGN);
  StdioPair pair{duplicate(STDIN_FILENO, "stdin"), duplicate(STDOUT_FILENO, "stdout")};
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null || ::dup2(null.get(), STDIN_FILENO) < 0) {
    throw io_error("cannot open /dev/null", errno);
  }
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0 && ::dup2(null.get(), STDOUT_FILENO) < 0) {
    throw io_error("cannot redirect stdout", errno);
  }
  return pair;
}

/// Restores the status flags of an open file, above all O_NONBLOCK: it would break a shell that reads from
/// the same terminal.
class StdioTransport::FlagsGuard {
 public:
  explicit FlagsGuard(int fd) : fd_(duplicate(fd, "a stream")), flags_(::fcntl(fd, F_GETFL)) {}
  ~FlagsGuard() { ::fcntl(fd_.get(), F_SETFL, flags_); }
  FlagsGuard(const FlagsGuard&) = delete;
  FlagsGuard& operator=(const FlagsGuard&) = delete;

 private:
  UniqueFd fd_;
  int flags_;
};

/// The one stream of this transport, which carries all messages and ends with the connection.
class StdioTransport::Lines : public Stream {
 public:
  explicit Lines(const std::shared_ptr<LineWriter>& writer) : writer_(writer) {}

  bool notify(std::string message, Delivery delivery) override { return send(message, delivery); }
  void reply(RpcReply reply) override { send(reply.text, Delivery::must); }
  void end() override {}

 private:
  bool send(const std::string& message, Delivery delivery) {
    const auto open = writer_.lock();
    return open && open->send(message, delivery);
  }

  std::weak_ptr<LineWriter> writer_;
};

struct StdioTransport::Input {
  asio::posix::stream_descriptor stream;
  LineFramer framer;
  std::array<char, 65'536> buffer;
};

StdioTransport::StdioTransport(const asio::any_io_executor& executor, StdioPair pair,
                               Milliseconds answers_within, std::size_t longest_line)
    : in_flags_(std::make_unique<FlagsGuard>(pair.in.get())),
      out_flags_(std::make_unique<FlagsGuard>(pair.out.get())),
      input_(new Input{
          asio::posix::stream_descriptor(executor, pair.in.release()), LineFramer(longest_line), {}}),
      writer_(std::make_shared<LineWriter>(executor, std::move(pair.out))),
      stream_(std::make_shared<Lines>(writer_)),
      answers_within_(answers_within) {}

StdioTransport::~StdioTransport() = default;

asio::awaitable<void> StdioTransport::run(Peer& peer, bool stop_calls, Ending& ending) {
  constexpr Milliseconds kLastWords(100);
  on_end_ = ending.on_begin;
  last_heard_ = &ending.last_heard;
  co_await (serve_input(peer, stop_calls) || writer_->run() || ending.asked.wait());
  note_end();
  if (!writer_->broken()) {  // after a signal or the last answer, subscriptions are still told of the end
    const auto deadline = Clock::now() + kLastWords;
    co_await (finish(peer, deadline) || writer_->run());
  }
  peer.close(stop_calls);
  if (const int error = writer_->error(); error != 0 && error != EPIPE && error != ECONNRESET) {
    throw io_error("cannot write to stdout", error);
  }
}

/// Reports that the end has begun, and returns when it began.
Clock::time_point StdioTransport::note_end() const {
  return on_end_ ? on_end_() : Clock::now();
}

asio::awaitable<void> StdioTransport::serve_input(Peer& peer, bool stop_calls) {
  while (co_await read_some(peer)) {
  }
  const auto deadline = given_up_at_.value_or(note_end() + answers_within_);
  const bool answered = co_await run_until(deadline, peer.wait_for_answers());
  if (!answered) {
    peer.refuse_unanswered(why_unanswered(stop_calls));
    co_return;  // `finish` waits until the refusals are read
  }
  co_await run_until(deadline, writer_->drained(0));
}

asio::awaitable<void> StdioTransport::finish(Peer& peer, Clock::time_point deadline) {
  co_await run_until(deadline, peer.end_subscriptions());
  co_await run_until(deadline, writer_->drained(0));
}

/// Reads the bytes that have come and serves the lines in them. False at the end of the input.
asio::awaitable<bool> StdioTransport::read_some(Peer& peer) {
  const auto [error, size] =
      co_await input_->stream.async_read_some(asio::buffer(input_->buffer), kReadQuietly);
  if (last_heard_ != nullptr) {
    *last_heard_ = Clock::now();
  }
  // A last line without its newline counts: people type `printf '{…}' | terminally-mcp`.
  input_->framer.feed(error ? "\n" : std::string_view(input_->buffer.data(), size));
  co_return co_await serve_lines(peer) && !error;
}

/// False when the connection is to be given up.
asio::awaitable<bool> StdioTransport::serve_lines(Peer& peer) {
  while (const auto line = input_->framer.next()) {
    if (line->too_long) {
      peer.receive(too_long_to_read(line->text), 0, stream_);
    } else {
      peer.receive(line->text, stream_);
    }
    co_await asio::post(
        asio::use_awaitable);  // lets a quick request be answered before the next one is taken
    if (!co_await wait_for_room(peer)) {
      co_return false;
    }
  }
  co_return true;
}

/// Waits until the client has read enough, and enough of its requests are done. False when the client hung up
/// meanwhile and that does not come in time. (A file has no hang-up: that wait fails, and only the other one
/// counts.)
asio::awaitable<bool> StdioTransport::wait_for_room(Peer& peer) {
  if (!writer_->full() && peer.in_flight().has_room()) {
    co_return true;
  }
  if (!given_up_at_) {
    const auto hung_up = asio::posix::descriptor_base::wait_error;
    const auto first = co_await (room(peer) || input_->stream.async_wait(hung_up, asio::use_awaitable));
    if (first.index() == 0) {
      co_return true;
    }
    given_up_at_ = note_end() + answers_within_;
  }
  co_return co_await run_until(*given_up_at_, room(peer));
}

asio::awaitable<void> StdioTransport::room(Peer& peer) {
  while (writer_->full() || !peer.in_flight().has_room()) {
    co_await writer_->drained(LineWriter::kFullBytes);
    co_await peer.wait_for_room();
  }
}

}  // namespace terminally
