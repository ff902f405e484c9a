// Writes and reads the lines between a page and the host that serves it.
#include "far_page/far_lines.hpp"

#include <optional>

#include "base/digests.hpp"
#include "json/json_reader.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPairs = 32;
constexpr unsigned kLowestStatus = 200;
constexpr unsigned kHighestStatus = 599;

std::optional<json> object_in(std::string_view line) {
  json object;
  std::string detail;
  if (read_json(line, object, detail) != JsonFault::none || !object.is_object()) {
    return std::nullopt;
  }
  return object;
}

std::optional<std::uint64_t> number_at(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                              : std::nullopt;
}

/// An object of texts; empty where it is none.
std::map<std::string, std::string> texts_at(const json& object, const char* name) {
  std::map<std::string, std::string> texts;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object() || found->size() > kMostPairs) {
    return texts;
  }
  for (const auto& [key, value] : found->items()) {
    if (value.is_string()) {
      texts[key] = value.get<std::string>();
    }
  }
  return texts;
}

LineOfHost answer_in(const json& object) {
  const auto re = number_at(object, "re");
  const auto status = number_at(object, "status");
  const auto body = decode_base64(text_field(object, "body").value_or(""));
  if (!re || !status || *status < kLowestStatus || *status > kHighestStatus || !body) {
    return {};
  }
  PipedAnswer answer;
  answer.re = *re;
  answer.status = static_cast<unsigned>(*status);
  answer.body = *body;
  for (const auto& header : texts_at(object, "headers")) {
    answer.headers.emplace_back(header);
  }
  return answer;
}

}  // namespace

std::string request_line(const PipedRequest& request) {
  json line;
  line["get"] = request.path;
  line["query"] = request.query;
  line["re"] = request.re;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string answer_line(std::uint64_t re, const Response& response) {
  json line;
  line["re"] = re;
  line["status"] = response.status;
  line["headers"] = json::object();
  for (const auto& [name, value] : response.headers) {
    line["headers"][name] = value;
  }
  line["body"] = encode_base64(response.body);
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string frame_line(std::string_view frame) {
  return R"({"bin":")" + encode_base64(frame) + R"("})";
}

std::string ping_line(std::uint64_t number) {
  return R"({"ping":)" + std::to_string(number) + "}";
}

std::string pong_line(std::uint64_t number) {
  return R"({"pong":)" + std::to_string(number) + "}";
}

LineOfPage read_line_of_page(std::string_view line) {
  const std::optional<json> object = object_in(line);
  if (!object) {
    return {};
  }
  if (object->contains("t")) {
    return std::string(line);
  }
  if (const auto number = number_at(*object, "ping")) {
    return PipedPing{*number};
  }
  const auto path = text_field(*object, "get");
  const auto re = number_at(*object, "re");
  if (!path || !re) {
    return {};
  }
  return PipedRequest{*re, *path, texts_at(*object, "query")};
}

LineOfHost read_line_of_host(std::string_view line) {
  std::optional<json> object = object_in(line);
  if (!object) {
    return {};
  }
  if (text_field(*object, "t")) {
    return std::move(*object);
  }
  if (const auto coded = text_field(*object, "bin")) {
    auto bytes = decode_base64(*coded);
    return bytes ? LineOfHost(PipedFrame{std::move(*bytes)}) : LineOfHost();
  }
  if (const auto number = number_at(*object, "pong")) {
    return PipedPing{*number};
  }
  return answer_in(*object);
}

}  // namespace terminally
