#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "mcp/revisions.hpp"
#include "tools/tool.hpp"

namespace terminally {

/// How much a message matters when the client does not read.
enum class Delivery {
  must,      ///< always queued
  may_drop,  ///< refused while the queue is full
};

/// Takes one message, text without a newline, for the client. False if it was refused.
using Send = std::function<bool(std::string message, Delivery delivery)>;

/// The progressToken of a request as JSON text, empty for none. Throws `ProtocolError` when it is of another
/// type than string or integer.
[[nodiscard]] std::string progress_token(const nlohmann::json& params);

/// The progress notifications of one request: strictly rising, and none once it is closed.
class ProgressSink {
 public:
  /// `token` is the request's progressToken as JSON text.
  ProgressSink(std::string token, Revision revision, Send send)
      : token_(std::move(token)), revision_(revision), send_(std::move(send)) {}

  /// False when the step was not sent: it did not rise, the client reads too slowly, or the call is over.
  bool report(const Progress& step);

  /// Nothing is sent from here on: the response went out, or never will.
  void close() { send_ = nullptr; }

 private:
  std::string token_;
  Revision revision_;
  Send send_;
  double last_ = -std::numeric_limits<double>::infinity();
};

}  // namespace terminally
