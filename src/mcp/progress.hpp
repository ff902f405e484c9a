#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "mcp/revisions.hpp"
#include "tools/tool.hpp"

namespace terminally {

/// How much a message matters when the client does not read.
enum class Delivery {
  must,      ///< always queued: its turn comes
  may_drop,  ///< refused while the queue is full
};

/// Takes one message, text without a newline, for the client. False if it was refused.
using Send = std::function<bool(std::string message, Delivery delivery)>;

/// The progressToken of a request as JSON text, empty for none. Throws `ProtocolError` when it is of another
/// type than string or integer, or too long.
[[nodiscard]] std::string progress_token(const nlohmann::json& params);

/// The progress notifications of one request: strictly rising, and none once it is closed.
class ProgressSink {
 public:
  /// `token` is the request's progressToken as JSON text.
  ProgressSink(std::string token, Revision revision, Send send)
      : token_(std::move(token)), revision_(revision), send_(std::move(send)) {}

  /// A step that does not rise, or comes before its task has an id, is not taken yet.
  Taken report(const Progress& step);

  /// The call becomes a task whose progress goes on after the answer. Nothing is sent until `of_task`.
  void becomes_task() { waits_for_task_ = true; }
  /// Each notification names the task from here on. Closed with the task, not with the answer.
  void of_task(const std::string& id);

  /// The answer went out, and nothing may follow it, except of a task.
  void answered();
  /// Nothing is sent from here on.
  void close() { send_ = nullptr; }

 private:
  std::string token_;
  Revision revision_;
  Send send_;
  bool waits_for_task_ = false;
  std::string task_;
  double last_ = -std::numeric_limits<double>::infinity();
};

/// Empty for none.
[[nodiscard]] ReportProgress reports_to(std::shared_ptr<ProgressSink> sink);

}  // namespace terminally
