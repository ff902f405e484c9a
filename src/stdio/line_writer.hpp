#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "base/descriptors.hpp"
#include "mcp/outlet.hpp"

namespace terminally {

/// The outgoing side of a stream of lines: messages queue here and one coroutine writes them, whole and in
/// order.
class LineWriter {
 public:
  static constexpr std::size_t kFullBytes = std::size_t{4} << 20U;  ///< above: the owner takes no requests
  static constexpr std::size_t kBusyBytes = std::size_t{1} << 20U;  ///< above: `may_drop` is dropped

  LineWriter(const boost::asio::any_io_executor& executor, UniqueFd out);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Queues a message, text without a newline. False if the message was dropped: nobody reads any more, or it
  /// may be dropped and the queue is long.
  bool send(const std::string& message, Delivery delivery);

  /// Writes until the reader is gone. After a cancellation it can be run again, and goes on where it was.
  [[nodiscard]] boost::asio::awaitable<void> run();

  /// The errno that made further writes impossible; 0 before.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] bool broken() const { return error_ != 0; }

  [[nodiscard]] bool full() const { return queued() > kFullBytes; }

  /// Waits until no more than `bytes` are queued, or nobody reads any more.
  [[nodiscard]] boost::asio::awaitable<void> drained(std::size_t bytes);

 private:
  struct Io;

  [[nodiscard]] std::size_t queued() const { return waiting_.size() + writing_.size() - written_; }

  std::unique_ptr<Io> io_;
  std::string waiting_;
  std::string writing_;
  std::size_t written_ = 0;  ///< of writing_
  int error_ = 0;
};

}  // namespace terminally
