// Builds the answer of a call whose link was lost, and the question for its command's state.
#include "hosts/lost_call.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace terminally {

using nlohmann::json;
using nlohmann::ordered_json;

std::optional<std::string> call_key_of(const json& arguments) {
  constexpr std::string_view kPrefix = "call-";
  const auto id = arguments.find("command_id");
  if (id == arguments.end() || !id->is_string() || !id->get_ref<const std::string&>().starts_with(kPrefix)) {
    return std::nullopt;
  }
  return id->get_ref<const std::string&>().substr(kPrefix.size());
}

ordered_json lost_answer(const FarCall& call, const std::string& key, const std::string& why) {
  const auto window = call.arguments->find("window_id");
  ordered_json answer;
  if (call.traits.begins == Begins::process) {
    answer["window_id"] = "main";
    answer["started"] = nullptr;
    answer["command_id"] = "call-" + key;
    answer["start_byte"] = 0;
  } else {
    answer["output"] = "";
    answer["exit_code"] = nullptr;
    answer["timed_out"] = false;
    answer["state"] = "running";
    answer["reason"] = "link_lost";
    answer["command_id"] = "call-" + key;
    answer["window_id"] = "main";
  }
  if (window != call.arguments->end() && window->is_string()) {
    answer["window_id"] = *window;
  }
  answer["notes"].push_back(
      why +
      ". Whether the command has begun is not known; it is not sent again. "
      "get_command_state with this window_id and command_id tells, once the link is there");
  return answer;
}

json query_of(const json& given, Begins begins, const std::string& window, const std::string& command) {
  json query;
  for (const char* name : {"strip_ansi", "render", "max_output_bytes", "verbose"}) {
    if (given.contains(name)) {
      query[name] = given[name];
    }
  }
  if (begins == Begins::process) {
    query["verbose"] = true;
    query["max_output_bytes"] = 0;
    query.erase("strip_ansi");
    query.erase("render");
  }
  query["window_id"] = window;
  query["command_id"] = command;
  return query;
}

}  // namespace terminally
