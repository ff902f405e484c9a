// Reads and writes the JSON-RPC messages that travel between this program and a far side.
#include "hosts/far_messages.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "json/envelope.hpp"
#include "json/json_reader.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

template <class Json>
std::optional<std::uint64_t> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned()
             ? std::optional(found->template get<std::uint64_t>())
             : std::nullopt;
}

const ordered_json* object_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::optional<double> amount_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<ProgressCount> seen_in(const ordered_json& meta) {
  const ordered_json* const seen = object_in(meta, "terminally-mcp/seen");
  const auto done = seen != nullptr ? amount_in(*seen, "done") : std::nullopt;
  const auto total = seen != nullptr ? amount_in(*seen, "total") : std::nullopt;
  return done && total ? std::optional(ProgressCount{*done, *total}) : std::nullopt;
}

std::optional<AwaitingInput> awaiting_in(const ordered_json& meta) {
  const ordered_json* const awaiting = object_in(meta, "terminally-mcp/awaiting_input");
  if (awaiting == nullptr) {
    return std::nullopt;
  }
  AwaitingInput input;
  const std::string kind = text_field(*awaiting, "kind").value_or("");
  input.kind = kind == "password"  ? AwaitingInput::Kind::password
               : kind == "program" ? AwaitingInput::Kind::program
               : kind == "stopped" ? AwaitingInput::Kind::stopped
                                   : AwaitingInput::Kind::line;
  input.prompt = shortened(text_field(*awaiting, "prompt").value_or(""), kLongestFarWords);
  return input;
}

FarMessage step_of(const ordered_json& params) {
  const auto token = number_in(params, "progressToken");
  const auto progress = amount_in(params, "progress");
  if (!token || !progress) {
    return {};
  }
  FarStep far;
  far.id = *token;
  far.step.progress = *progress;
  far.step.message = text_field(params, "message").value_or("");
  if (const ordered_json* const meta = object_in(params, "_meta")) {
    far.step.seen = seen_in(*meta);
    far.step.awaiting_input = awaiting_in(*meta);
  }
  return far;
}

FarMessage answer_of(std::uint64_t id, ordered_json& message) {
  FarAnswer answer;
  answer.id = id;
  if (object_in(message, "result") != nullptr) {
    answer.result = std::move(message["result"]);
    return answer;
  }
  const ordered_json* const error = object_in(message, "error");
  answer.refusal = error != nullptr ? shortened(text_field(*error, "message").value_or(""), kLongestFarWords)
                                    : "the host answered with neither a result nor an error";
  return answer;
}

}  // namespace

FarMessage read_far_message(std::string_view line) {
  ordered_json message;
  std::string detail;
  if (read_json(line, message, detail) != JsonFault::none || !message.is_object()) {
    const std::string why = detail.empty() ? "no object" : shortened(detail, kLongestFarWords);
    throw Error(ErrorCode::io, "the host sent a line that is no JSON-RPC message: " + why);
  }
  if (message.contains("method")) {
    const ordered_json* const params = object_in(message, "params");
    const bool is_progress =
        message["method"] == "notifications/progress" && params != nullptr && !message.contains("id");
    return is_progress ? step_of(*params) : FarMessage();
  }
  const auto id = number_in(message, "id");
  return id ? answer_of(*id, message) : FarMessage();
}

bool answers_nobody(std::string_view line, const std::function<bool(std::uint64_t)>& waits) {
  Envelope envelope;
  envelope.feed(line);
  json message;
  std::string detail;
  if (read_json(envelope.take(), message, detail) != JsonFault::none || !message.is_object() ||
      message.contains("method") || !message.contains("id")) {
    return false;
  }
  const auto id = number_in(message, "id");
  return !id || !waits(*id);
}

std::string place_in(const ordered_json& result) {
  const ordered_json* const meta = object_in(result, "_meta");
  return meta == nullptr ? "" : text_field(*meta, kPlaceKey).value_or("");
}

std::string far_request(std::uint64_t id, const std::string& method, const ordered_json& params) {
  ordered_json message;
  message["jsonrpc"] = "2.0";
  message["id"] = id;
  message["method"] = method;
  message["params"] = params;
  return message.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace terminally
