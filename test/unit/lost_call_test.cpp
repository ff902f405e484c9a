// V1: what is asked and answered in place of a call whose link was lost, field by field.
#include "hosts/lost_call.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

using namespace terminally;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

FarCall a_lost_call(const char* arguments, Begins begins = Begins::command) {
  FarCall call;
  call.traits.begins = begins;
  call.arguments = std::make_shared<const json>(json::parse(arguments));
  return call;
}

/// The fields that a lost call has beside its notes.
ordered_json without_notes(ordered_json answer) {
  CHECK(answer["notes"].size() == 1);
  answer.erase("notes");
  return answer;
}

}  // namespace

TEST_CASE("V1 lost call: the question for its state has each limit and view of the call, and nothing else") {
  const json given = json::parse(
      R"({"command": "x", "host": "web", "timeout_ms": 5, "on_timeout": "background", "window_id": "main",
          "strip_ansi": true, "render": false, "max_output_bytes": 7, "verbose": true})");
  CHECK(query_of(given, Begins::command, "@7", "0123abcd") ==
        json::parse(R"({"strip_ansi": true, "render": false, "max_output_bytes": 7, "verbose": true,
                        "window_id": "@7", "command_id": "0123abcd"})"));
  CHECK(query_of(json::object(), Begins::command, "@7", "0123abcd") ==
        json::parse(R"({"window_id": "@7", "command_id": "0123abcd"})"));
  // Of a process no output is returned, and its first byte is in the verbose form alone.
  CHECK(query_of(given, Begins::process, "@7", "0123abcd") ==
        json::parse(
            R"({"verbose": true, "max_output_bytes": 0, "window_id": "@7", "command_id": "0123abcd"})"));
}

TEST_CASE(
    "V1 lost call: an answer without a state has the fields of one with a state, and the ids to ask by") {
  CHECK(without_notes(lost_answer(a_lost_call(R"({"window_id": "@3"})"), "0a", "cut")) ==
        ordered_json::parse(
            R"({"output": "", "exit_code": null, "timed_out": false, "state": "running",
                "reason": "link_lost", "command_id": "call-0a", "window_id": "@3"})"));
  CHECK(lost_answer(a_lost_call(R"({"window_id": "build"})"), "0a", "cut")["window_id"] == "build");
  CHECK(lost_answer(a_lost_call("{}"), "0a", "cut")["window_id"] == "main");
  CHECK(without_notes(lost_answer(a_lost_call("{}", Begins::process), "0a", "cut")) ==
        ordered_json::parse(
            R"({"window_id": "main", "started": null, "command_id": "call-0a", "start_byte": 0})"));
  CHECK(without_notes(found_answer(a_lost_call(R"({"window_id": "main"})"), "@7", "0123abcd", "why")) ==
        ordered_json::parse(
            R"({"output": "", "exit_code": null, "timed_out": false, "state": "running",
                "reason": "link_lost", "command_id": "0123abcd", "window_id": "@7"})"));
}

TEST_CASE("V1 lost call: its key is what follows \"call-\" in a command_id, and nothing else is one") {
  CHECK(call_key_of(json::parse(R"({"command_id": "call-0a"})")) == "0a");
  for (const char* other : {R"({"command_id": "0123abcd"})", R"({"command_id": 7})", "{}",
                            R"({"command_id": "recall-0a"})", R"({"window_id": "call-0a"})"}) {
    CHECK(call_key_of(json::parse(other)) == std::nullopt);
  }
}
