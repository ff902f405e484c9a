#pragma once

#include <functional>
#include <string>
#include <utility>

namespace terminally {

/// How much a message matters when the client does not read.
enum class Delivery {
  must,      ///< always queued: its turn comes
  may_drop,  ///< refused while the queue is full
};

/// Takes one message, text without a newline, for the client. False if it was refused.
using Send = std::function<bool(std::string message, Delivery delivery)>;

/// Where messages to a client go. Shared by all that may have something to tell; says nothing once it is
/// closed.
class Outlet {
 public:
  explicit Outlet(Send send) : send_(std::move(send)) {}

  /// False when it may be dropped and the client reads too slowly: try again later. True once closed: there
  /// is nothing to try.
  bool send(std::string message, Delivery delivery) { return !send_ || send_(std::move(message), delivery); }

  [[nodiscard]] bool is_open() const { return send_ != nullptr; }
  void close() { send_ = nullptr; }

 private:
  Send send_;
};

}  // namespace terminally
