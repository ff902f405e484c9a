#pragma once

#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "mcp/outlet.hpp"
#include "mcp/revisions.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// The progressToken of a request as JSON text, empty for none. Throws `ProtocolError` for a token that is
/// neither string nor integer, or too long.
[[nodiscard]] std::string progress_token(const nlohmann::json& params);

/// The progress notifications of one request: strictly rising, none once the sink or its outlet is closed.
class ProgressSink {
 public:
  /// `token` is the request's progressToken as JSON text.
  ProgressSink(std::string token, Revision revision, std::shared_ptr<Outlet> outlet)
      : token_(std::move(token)), revision_(revision), outlet_(std::move(outlet)) {}

  /// Sends a step. One that does not rise, or comes before its task has an id, is not taken: Taken::later.
  Taken report(const Progress& step);

  /// The call becomes a task, whose progress goes on after the reply by `outlet`. Nothing is sent until
  /// `of_task`.
  void becomes_task(std::shared_ptr<Outlet> outlet);
  /// Each notification names the task from here on.
  void of_task(const std::string& id);

  /// Nothing is sent from here on.
  void close() { outlet_.reset(); }

 private:
  std::string token_;
  Revision revision_;
  std::shared_ptr<Outlet> outlet_;
  bool waits_for_task_ = false;
  std::string task_;
  double last_ = -std::numeric_limits<double>::infinity();
};

/// A function that reports to `sink`; empty where `sink` is null.
[[nodiscard]] ReportProgress reports_to(std::shared_ptr<ProgressSink> sink);

}  // namespace terminally
