#pragma once

#include <memory>
#include <string>
#include <utility>

namespace terminally {

/// How much a message matters when the client does not read.
enum class Delivery {
  must,      ///< always queued: its turn comes
  may_drop,  ///< refused while the queue is full
};

/// What the messages go to that belong together: to one text from the client, or to none. A transport has one
/// of its own kind. Messages are texts without a newline, of at most kMostMessageBytes.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// A notification. False if it may be dropped, and was: the client reads too slowly.
  virtual bool notify(std::string message, Delivery delivery) = 0;
  /// What the text is answered by, a message or a batch. Once, or never; nothing but `end` comes after it.
  /// (A batch that is refused before 2025-11-25, which has no error without an id: once for each request.)
  virtual void reply(std::string message) = 0;
  /// Nothing comes any more. Once; not where the peer is closed first, which just lets go of it.
  virtual void end() = 0;
};

/// Where notifications to a client go. Shared by all that may have something to tell; says nothing once it is
/// closed.
class Outlet {
 public:
  explicit Outlet(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

  /// False when it may be dropped and the client reads too slowly: try again later. True once closed: there
  /// is nothing to try.
  bool notify(std::string message, Delivery delivery) {
    return !stream_ || stream_->notify(std::move(message), delivery);
  }

  [[nodiscard]] bool is_open() const { return stream_ != nullptr; }
  void close() { stream_ = nullptr; }

 private:
  std::shared_ptr<Stream> stream_;
};

}  // namespace terminally
