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

namespace {

/// What a call returns whose command may run.
ordered_json unknown_end(Begins begins, const std::string& window, const std::string& command) {
  ordered_json answer;
  if (begins == Begins::process) {
    answer["window_id"] = window;
    answer["started"] = nullptr;
    answer["command_id"] = command;
    answer["start_byte"] = 0;
  } else {
    answer["output"] = "";
    answer["exit_code"] = nullptr;
    answer["timed_out"] = false;
    answer["state"] = "running";
    answer["reason"] = "link_lost";
    answer["command_id"] = command;
    answer["window_id"] = window;
  }
  return answer;
}

}  // namespace

ordered_json lost_answer(const FarCall& call, const std::string& key, const std::string& why) {
  const auto given = call.arguments->find("window_id");
  const bool is_given = given != call.arguments->end() && given->is_string();
  ordered_json answer =
      unknown_end(call.traits.begins, is_given ? given->get<std::string>() : "main", "call-" + key);
  answer["notes"].push_back(
      why +
      ". Whether the command has begun is not known; it is not sent again. "
      "get_command_state with this window_id and command_id tells, once the link is there");
  return answer;
}

ordered_json found_answer(const FarCall& call, const std::string& window, const std::string& command,
                          const std::string& why) {
  ordered_json answer = unknown_end(call.traits.begins, window, command);
  answer["notes"].push_back(
      "the link was lost during the call; the command was sent once, and is on record there. Its state could "
      "not be read (" +
      why + "): get_command_state with this window_id and command_id tells");
  return answer;
}

Error no_record(bool same_records, const std::string& why) {
  const std::string lost = "the link was lost (" + why + ") ";
  if (same_records) {
    return {ErrorCode::io, lost + "before the command reached the host, so nothing ran. Call again"};
  }
  return {ErrorCode::io,
          lost +
              "during the call, and the records of the host are not those of then (it was restarted or made "
              "anew, another machine has its name, or its state directory is gone): it is not known whether "
              "the command ran. Look at what it does before you repeat it"};
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
