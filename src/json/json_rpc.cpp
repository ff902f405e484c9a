// Parses lines into JSON-RPC messages, and writes results, errors and notifications.
// Collects the answers to a JSON-RPC batch into one message of bounded size.

#include "json/json_rpc.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "json/envelope.hpp"
#include "json/json_reader.hpp"

namespace terminally {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Kind = RpcMessage::Kind;

template <class Json>
std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RpcMessage invalid(std::string id, int code, const std::string& what) {
  RpcMessage message;
  message.id = std::move(id);
  message.error = ProtocolError(code, what);
  return message;
}

/// Takes the params out of a message; absent and null are an empty object. False if they are of another type.
bool take_params(json& message, json& params) {
  const auto given = message.find("params");
  params = given == message.end() || given->is_null() ? json::object() : std::move(*given);
  return params.is_object();
}

RpcMessage classify_notification(std::string method, json& value) {
  RpcMessage message;
  json params;
  message.kind = take_params(value, params) ? Kind::notification : Kind::ignored;
  message.method = std::move(method);
  message.params = std::make_shared<const json>(std::move(params));
  return message;
}

RpcMessage classify_request(const json& id_value, std::string id, std::string method, json& value) {
  const auto version = value.find("jsonrpc");
  if (version == value.end() || *version != "2.0") {
    return invalid(std::move(id), kInvalidRequest, "Invalid request: jsonrpc must be \"2.0\"");
  }
  if (value.contains("result") || value.contains("error")) {
    return invalid(std::move(id), kInvalidRequest, "Invalid request: a message with a method has no result");
  }
  json params;
  if (!take_params(value, params)) {  // JSON-RPC has params by position, MCP has not
    return invalid(std::move(id), params.is_array() ? kInvalidParams : kInvalidRequest,
                   "Invalid request: params must be an object");
  }
  RpcMessage message;
  message.kind = Kind::request;
  message.id = std::move(id);
  message.key = id_key(id_value).value_or("");
  message.method = std::move(method);
  message.params = std::make_shared<const json>(std::move(params));
  return message;
}

RpcMessage classify_response(json& value) {
  RpcMessage message;
  const auto id = value.find("id");
  message.key = id == value.end() ? "" : id_key(*id).value_or("");
  message.kind = message.key.empty() ? Kind::ignored : Kind::response;
  message.params = std::make_shared<const json>(std::move(value));
  return message;
}

RpcMessage classify(json& value) {
  if (!value.is_object()) {
    return invalid("", kInvalidRequest, "Invalid request: a message is a JSON object");
  }
  const auto method = value.find("method");
  if (method == value.end() && (value.contains("result") || value.contains("error"))) {
    return classify_response(value);
  }
  const auto id = value.find("id");
  if (id != value.end() && !id_key(*id)) {
    return invalid("", kInvalidRequest,
                   "Invalid request: id must be an integer, or a string of at most " +
                       std::to_string(kMostIdBytes) + " bytes of JSON");
  }
  std::string id_text = id == value.end() ? "" : to_text(*id);
  if (method == value.end() || !method->is_string()) {
    return invalid(std::move(id_text), kInvalidRequest, "Invalid request: method must be a string");
  }
  auto name = method->get<std::string>();
  return id == value.end() ? classify_notification(std::move(name), value)
                           : classify_request(*id, std::move(id_text), std::move(name), value);
}

/// Refuses a message that has a key twice, by its id unless the id is the key in doubt. A notification gets
/// no answer.
RpcMessage refuse_duplicate(json& value, const std::string& key, bool id_in_doubt) {
  RpcMessage message = classify(value);
  if (message.kind != Kind::request && message.kind != Kind::invalid) {
    message.kind = Kind::ignored;
    return message;
  }
  return invalid(id_in_doubt ? "" : message.id, kInvalidRequest,
                 "Invalid request: the key " + to_text(json(key)) + " occurs twice");
}

/// Refuses text that is no JSON, by its request's id where that can be read.
RpcMessage refuse_unreadable(const json& value, const std::string& detail) {
  const auto id = value.is_object() && value.contains("method") ? value.find("id") : value.end();
  std::string text = id != value.end() && id_key(*id) ? to_text(*id) : "";
  const bool in_doubt = text.find(kReplacementCharacter) != std::string::npos;
  return invalid(in_doubt ? "" : std::move(text), kParseError, "Parse error: " + detail);
}

std::string with_id(const std::string& id) {
  return id.empty() ? "" : R"(,"id":)" + id;
}

}  // namespace

std::optional<std::string> id_key(const json& value) {
  constexpr double kWholeUpTo = 9'007'199'254'740'992;  // 2^53: above it a double is not one integer
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool whole = std::abs(number) <= kWholeUpTo && std::trunc(number) == number;
    return whole ? std::optional(std::to_string(static_cast<std::int64_t>(number))) : std::nullopt;
  }
  if (!value.is_string() && !value.is_number_integer()) {
    return std::nullopt;
  }
  std::string text = to_text(value);
  return text.size() <= kMostIdBytes ? std::optional(std::move(text)) : std::nullopt;
}

RpcInput read_messages(std::string_view line) {
  json value;
  std::string detail;
  RpcInput input;
  const JsonFault fault = read_json(line, value, detail);
  switch (fault) {
    case JsonFault::syntax:
    case JsonFault::too_deep:
    case JsonFault::too_large:
      input.messages.push_back(invalid("", kParseError, "Parse error: " + detail));
      return input;
    case JsonFault::duplicate_key:
    case JsonFault::duplicate_id:
      input.messages.push_back(refuse_duplicate(value, detail, fault == JsonFault::duplicate_id));
      return input;
    case JsonFault::no_text:
    case JsonFault::none:
      break;
  }
  const auto read = [&](json& message) {
    return fault == JsonFault::none ? classify(message) : refuse_unreadable(message, detail);
  };
  input.batch = value.is_array() && !value.empty();
  if (!input.batch) {
    input.messages.push_back(read(value));
    return input;
  }
  for (json& element : value) {
    input.messages.push_back(read(element));
  }
  return input;
}

RpcInput too_long_to_read(std::string_view envelope) {
  const RpcInput read = read_messages(envelope);
  const bool request = read.messages.size() == 1 && read.messages.front().kind == Kind::request;
  RpcInput input;
  input.messages.push_back(
      invalid(request ? read.messages.front().id : "", kParseError,
              "Parse error: a message has at most " + std::to_string(kMaxLineBytes) + " bytes"));
  return input;
}

std::string result_message(const std::string& id, const ordered_json& result) {
  return R"({"jsonrpc":"2.0")" + with_id(id) + R"(,"result":)" + to_text(result) + "}";
}

std::string error_message(const std::string& id, const ProtocolError& error) {
  constexpr std::size_t kLongest = 1'000;  // it may repeat a name of the size of a line
  const std::string data = error.data().empty() ? "" : R"(,"data":)" + error.data();
  return R"({"jsonrpc":"2.0")" + with_id(id) + R"(,"error":{"code":)" + std::to_string(error.code()) +
         R"(,"message":)" + to_text(json(shortened(error.what(), kLongest))) + data + "}}";
}

std::string notification_message(std::string_view method, const ordered_json& params) {
  return request_message("", method, params);
}

std::string request_message(const std::string& id, std::string_view method, const ordered_json& params) {
  return R"({"jsonrpc":"2.0")" + with_id(id) + R"(,"method":)" + to_text(json(method)) + R"(,"params":)" +
         to_text(params) + "}";
}

namespace {

std::string no_room(const std::string& id) {
  return error_message(
      id, ProtocolError(kInternalError, "The answers to this batch are over 8 MiB: send this request alone"));
}

std::size_t room_for_error(const std::string& id) {
  static const std::size_t without_id = no_room("0").size() + 1;  // and a comma
  return without_id + id.size();
}

}  // namespace

void Batch::expect(const std::string& id) {
  ++missing_;
  room_for_missing_ += room_for_error(id);
}

void Batch::answer(const std::string& id, std::string message) {
  --missing_;
  room_for_missing_ -= room_for_error(id);
  constexpr std::size_t kBrackets = 3;  // and a comma
  if (answers_.size() + message.size() + room_for_missing_ + kBrackets > kMostMessageBytes) {
    message = no_room(id);
  }
  answers_.append(answers_.empty() || message.empty() ? "" : ",").append(message);
  if (missing_ == 0) {
    reply_(answers_.empty() ? "" : "[" + std::exchange(answers_, {}) + "]");
  }
}

}  // namespace terminally
