#include "page/page_request.hpp"

#include "http/answers.hpp"
#include "json/json_reader.hpp"
#include "page/wire.hpp"

namespace terminally {
namespace {

using nlohmann::json;

Error wrong(const std::string& name, const std::string& what) {
  return Error(ErrorCode::invalid_argument, name + ": " + what);
}

}  // namespace

PageRequest::PageRequest(std::string_view text) {
  std::string detail;
  if (const JsonFault fault = read_json(text, body_, detail); fault != JsonFault::none) {
    throw Error(ErrorCode::invalid_argument, "this is no JSON: " + detail);
  }
  const auto type = body_.is_object() ? text_field(body_, "t") : std::nullopt;
  if (!type) {
    throw Error(ErrorCode::invalid_argument, "a message is an object with a text \"t\"");
  }
  type_ = *type;
  const auto re = body_.find("re");
  re_ = re != body_.end() && (re->is_string() || re->is_number()) ? *re : json(nullptr);
}

bool PageRequest::has(const char* name) const {
  const auto found = body_.find(name);
  return found != body_.end() && !found->is_null();
}

const json& PageRequest::field(const char* name) const {
  const auto found = body_.find(name);
  if (found == body_.end()) {
    throw wrong(name, "is missing in \"" + type_ + "\"");
  }
  return *found;
}

std::string PageRequest::text(const char* name) const {
  const json& value = field(name);
  if (!value.is_string()) {
    throw wrong(name, "must be a text");
  }
  return value.get<std::string>();
}

std::uint64_t PageRequest::number(const char* name, std::uint64_t most) const {
  const json& value = field(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw wrong(name, "must be a whole number, " + std::to_string(most) + " at most");
  }
  return value.get<std::uint64_t>();
}

bool PageRequest::flag(const char* name) const {
  const auto found = body_.find(name);
  return found != body_.end() && found->is_boolean() && found->get<bool>();
}

std::string done_text(const json& re) {
  json message;
  message["t"] = "done";
  message["re"] = re;
  return wire_text(message);
}

std::string error_text(const json& re, const Error& error) {
  json message;
  message["t"] = "error";
  message["re"] = re;
  message["code"] = name_of(error.code());
  message["message"] = error.what();
  return wire_text(message);
}

}  // namespace terminally
