#pragma once

#include <memory>
#include <string>
#include <utility>

namespace terminally {

/// How much a message matters when the client does not read.
enum class Delivery {
  must,      ///< always queued
  may_drop,  ///< refused while the queue is long
};

/// What answers one text: a message or a batch.
struct RpcReply {
  std::string text;  ///< empty: there is no answer
  int error = 0;     ///< the code of its JSON-RPC error; 0 for a result and for a batch
};

/// Carries the messages that answer one text from the client, or those that answer none. Each transport
/// implements it. Messages are texts without a newline, of at most kMostMessageBytes.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Sends a notification. False if it may be dropped, and was: the client reads too slowly.
  virtual bool notify(std::string message, Delivery delivery) = 0;
  /// Sends the answer to the text. Called once or never; only `end` follows it. (A
  /// refused batch is answered once for each request before 2025-11-25, which has no error without an id.)
  virtual void reply(RpcReply reply) = 0;
  /// No more messages come. Called once, unless the peer is closed first, which just releases the stream.
  virtual void end() = 0;
};

/// A closable way for notifications to a client, shared by all that send them. Drops them once it is closed.
class Outlet {
 public:
  explicit Outlet(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

  /// False when the message may be dropped and the client reads too slowly: try again later. True once
  /// closed, as trying again is no use.
  bool notify(std::string message, Delivery delivery) {
    return !stream_ || stream_->notify(std::move(message), delivery);
  }

  [[nodiscard]] bool is_open() const { return stream_ != nullptr; }
  void close() { stream_ = nullptr; }

 private:
  std::shared_ptr<Stream> stream_;
};

}  // namespace terminally
