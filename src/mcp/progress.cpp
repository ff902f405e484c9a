#include "mcp/progress.hpp"

#include <nlohmann/json.hpp>

#include "mcp/json_rpc.hpp"
#include "tools/command_answer.hpp"

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
  if (!token->is_string() && !token->is_number_integer()) {
    throw ProtocolError(kInvalidParams, "Invalid params: progressToken must be a string or an integer");
  }
  return token->dump();
}

bool ProgressSink::report(const Progress& step) {
  if (!send_ || !(step.progress > last_)) {
    return false;
  }
  ordered_json params;
  params["progressToken"] = ordered_json::parse(token_);
  params["progress"] = step.progress;
  if (!step.message.empty() && revision_ >= Revision::v2025_03_26) {
    params["message"] = step.message;
  }
  if (step.seen) {  // not `total`: that would be in the unit of `progress`, which is bytes
    params["_meta"]["terminally-mcp/seen"] = {{"done", step.seen->done}, {"total", step.seen->total}};
  }
  if (step.awaiting_input) {
    params["_meta"]["terminally-mcp/awaiting_input"] = {{"kind", to_string(step.awaiting_input->kind)},
                                                        {"prompt", step.awaiting_input->prompt}};
  }
  const bool sent = send_(notification_message("notifications/progress", params), Delivery::may_drop);
  if (sent) {
    last_ = step.progress;
  }
  return sent;
}

}  // namespace terminally
