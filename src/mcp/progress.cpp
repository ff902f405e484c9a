// Sends the progress notifications of one request, in rising order.
#include "mcp/progress.hpp"

#include <nlohmann/json.hpp>

#include "json/json_rpc.hpp"
#include "toolkit/answers.hpp"

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

std::string progress_token(const json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) {
    return {};
  }
  const auto token = meta->find("progressToken");
  if (token == meta->end() || token->is_null()) {
    return {};
  }
  if (!id_key(*token)) {
    throw ProtocolError(kInvalidParams,
                        "Invalid params: progressToken must be an integer, or a string of at most " +
                            std::to_string(kMostIdBytes) + " bytes of JSON");
  }
  return token->dump();
}

Taken ProgressSink::report(const Progress& step) {
  if (!outlet_ || !outlet_->is_open()) {
    return Taken::never;
  }
  if (!(step.progress > last_) || waits_for_task_) {
    return Taken::later;
  }
  ordered_json params;
  params["progressToken"] = ordered_json::parse(token_);
  params["progress"] = step.progress;
  if (!step.message.empty() && revision_ >= Revision::v2025_03_26) {
    params["message"] = step.message;
  }
  if (step.seen) {  // not in `total`, whose unit is that of `progress`: bytes
    params["_meta"]["terminally-mcp/seen"] = {{"done", step.seen->done}, {"total", step.seen->total}};
  }
  if (step.awaiting_input) {
    params["_meta"]["terminally-mcp/awaiting_input"] = {{"kind", to_string(step.awaiting_input->kind)},
                                                        {"prompt", step.awaiting_input->prompt}};
  }
  if (!task_.empty()) {
    params["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] = task_;
  }
  if (!outlet_->notify(notification_message("notifications/progress", params),
                       step.last_words ? Delivery::must : Delivery::may_drop)) {
    return Taken::later;
  }
  last_ = step.progress;
  return Taken::yes;
}

void ProgressSink::becomes_task(std::shared_ptr<Outlet> outlet) {
  outlet_ = std::move(outlet);
  waits_for_task_ = true;
}

void ProgressSink::of_task(const std::string& id) {
  task_ = id;
  waits_for_task_ = false;
}

ReportProgress reports_to(std::shared_ptr<ProgressSink> sink) {
  if (!sink) {
    return {};
  }
  return [sink = std::move(sink)](const Progress& step) { return sink->report(step); };
}

}  // namespace terminally
