#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "json/json_reader.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/results_json.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"
#include "tools/list_tabs.hpp"

using namespace terminally;
using nlohmann::ordered_json;

namespace {

bool has_type(const ordered_json& value, const std::string& type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
         (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
}

/// What is wrong with a value under a schema of ours; empty when it conforms. Every property must be
/// described.
std::string violation(const ordered_json& value, const ordered_json& schema, const std::string& path = "$") {
  if (schema.contains("anyOf")) {  // something or null
    const ordered_json& some = schema["anyOf"];
    return value.is_null() && some.size() == 2 && some[1]["type"] == "null" ? ""
                                                                            : violation(value, some[0], path);
  }
  if (!has_type(value, schema["type"].get<std::string>())) {
    return path + " is not of type " + schema["type"].dump();
  }
  if (schema.contains("enum")) {
    const auto& names = schema["enum"];
    return std::find(names.begin(), names.end(), value) == names.end() ? path + " is not in the enum" : "";
  }
  std::string wrong;
  if (value.is_array()) {
    for (const auto& item : value) {
      wrong += violation(item, schema["items"], path + "[]");
    }
  }
  if (value.is_object()) {
    for (const auto& name : schema.value("required", ordered_json::array())) {
      if (!value.contains(name)) {
        wrong.append(path).append(" lacks ").append(name.get<std::string>());
      }
    }
    for (const auto& [name, member] : value.items()) {
      std::string member_path = path;
      member_path.append(".").append(name);
      const bool known = schema["properties"].contains(name);
      wrong += known ? violation(member, schema["properties"][name], member_path) : member_path + " unknown";
    }
  }
  return wrong;
}

template <class T>
ordered_json written(const T& value) {
  ResultWriter writer;
  describe(writer, value);
  return writer.result();
}

template <class T>
ordered_json schema_of() {
  ResultSchema schema;
  describe(schema, T{});
  return schema.schema();
}

CommandAnswer sample() {
  CommandAnswer answer;
  answer.result.command_id = "c1";
  answer.result.window_id = WindowId{3};
  answer.result.command = "echo hi";
  answer.result.state = CommandState::completed;
  answer.result.output = "hi\n";
  answer.result.exit_code = 0;
  answer.result.start_byte = 10;
  answer.result.end_byte = 14;
  answer.result.output_bytes = 4;
  answer.result.started_at_ms = 1'762'351'387'250;
  answer.result.duration_ms = 7;
  answer.result.cwd = "/";
  return answer;
}

TabInfo tab_of(const std::string& name, const std::string& cwd) {
  TabInfo tab;
  tab.name = name;
  tab.cwd = cwd;
  return tab;
}

std::vector<std::string> names_of(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) {
    names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("tools/list: order, names, annotations and descriptions") {
  const ordered_json tools = Router(all_tools(), {}).list();
  CHECK(tools.at(0)["name"] == "list_tabs");
  CHECK(tools.at(0)["inputSchema"] ==
        ordered_json::parse(R"({"type": "object", "properties": {}, "additionalProperties": false})"));
  std::set<std::string> names;
  for (const ordered_json& tool : tools) {
    CAPTURE(tool["name"]);
    CHECK(names.insert(tool["name"].get<std::string>()).second);
    CHECK_FALSE(tool["description"].get<std::string>().empty());
    CHECK(tool["annotations"].size() == 4);
    for (const char* schema : {"inputSchema", "outputSchema"}) {
      CHECK(tool[schema]["type"] == "object");
      const ordered_json properties = tool[schema].value("properties", ordered_json::object());
      for (const auto& [name, property] : properties.items()) {
        CAPTURE(name);
        CHECK_FALSE(property.value("description", "").empty());
        const bool is_bounded = property.contains("minimum") && property.contains("maximum");
        CHECK((std::string_view(schema) == "outputSchema" || property["type"] != "integer" || is_bounded));
      }
    }
  }
}

TEST_CASE("tools/list: names, descriptions and input schemas are paid for by every conversation") {
  std::size_t characters = 0;
  for (const ordered_json& tool : Router(all_tools(), {}).list()) {
    characters += tool["name"].get<std::string>().size() + tool["description"].get<std::string>().size() +
                  tool["inputSchema"].dump().size();
  }
  MESSAGE("all tools together: " << characters << " characters");
  CHECK(characters < 12'000);
}

TEST_CASE("results: what every tool writes conforms to what it promises") {
  for (const Tool& tool : all_tools()) {
    ResultWriter writer;
    tool.describe_result(writer);
    ResultSchema schema;
    tool.describe_result(schema);
    CHECK_MESSAGE(violation(writer.result(), schema.schema()).empty(), tool.name);
  }
}

TEST_CASE("results: a text of any of them is masked, as the command line of who survives an end") {
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("PHRASE", "correct-horse-battery-staple"));
  TextGuard guard(secrets);
  ResultWriter writer(&guard);
  describe(writer,
           Survivor{.pid = 7, .command = "sh -c x correct-horse-battery-staple", .why = "ignores SIGHUP"});
  CHECK(writer.result()["command"] == "sh -c x «redacted:PHRASE»");
}

TEST_CASE("T14: a plain command result is four fields") {
  CHECK(
      written(sample()) ==
      ordered_json::parse(R"({"output": "hi\n", "exit_code": 0, "timed_out": false, "state": "completed"})"));
}

TEST_CASE("T14: of a command result, what says something is shown") {
  const auto all_states = {CommandState::running, CommandState::completed, CommandState::cancelled,
                           CommandState::failed};
  const ordered_json schema = schema_of<CommandAnswer>();
  CommandAnswer answer = sample();
  answer.tab_was_named = false;
  CHECK(written(answer)["window_id"] == "@3");
  answer.result.omitted_bytes = 2;
  CHECK(names_of(written(answer)) == std::vector<std::string>{"output", "exit_code", "timed_out", "state",
                                                              "window_id", "command_id", "start_byte",
                                                              "end_byte", "output_bytes", "omitted_bytes"});
  answer = sample();
  answer.result.state = CommandState::running;
  answer.result.reason = Reason::handed_over;
  answer.result.exit_code.reset();
  answer.result.notes = {"poll get_command_state"};
  const ordered_json running = written(answer);
  CHECK(running["exit_code"].is_null());
  CHECK(running["reason"] == to_string(Reason::handed_over));
  CHECK(running["notes"].size() == 1);
  CHECK(running["command_id"] == "c1");
  CHECK_FALSE(running.contains("omitted_bytes"));
  for (const CommandState state : all_states) {
    for (const bool verbose : {false, true}) {
      answer.result.state = state;
      answer.verbose = verbose;
      CHECK(violation(written(answer), schema).empty());
    }
  }
}

TEST_CASE("T14: verbose gives all fields, null and zero included") {
  CommandAnswer answer = sample();
  answer.verbose = true;
  const ordered_json all = written(answer);
  CHECK(names_of(all) == std::vector<std::string>{"output", "exit_code", "timed_out", "state", "reason",
                                                  "awaiting_input", "window_id", "command_id", "command",
                                                  "start_byte", "end_byte", "output_bytes", "omitted_bytes",
                                                  "started_at", "duration_ms", "cwd", "survivors"});
  CHECK(all["reason"].is_null());
  CHECK(all["started_at"] == "2025-11-05T14:03:07.250Z");
  CHECK(violation(all, schema_of<CommandAnswer>()).empty());
}

TEST_CASE("V1: what was typed and waited for has the notes of both, and no field of the wait without one") {
  SentAnswer answer;
  answer.input.notes = {"typed"};
  CHECK(names_of(written(answer)) == std::vector<std::string>{"sent", "from_byte", "notes"});
  answer.waited.emplace();
  answer.waited->notes = {"waited"};
  answer.waited->reason = "timeout";
  const ordered_json both = written(answer);
  CHECK(both["notes"] == ordered_json::parse(R"(["typed", "waited"])"));
  CHECK(names_of(both) == std::vector<std::string>{"sent", "from_byte", "matched", "reason", "output",
                                                   "next_byte", "state", "notes"});
  CHECK(violation(both, schema_of<SentAnswer>()).empty());
}

TEST_CASE("times are ISO 8601 in UTC, wherever the server is") {
  for (const char* zone : {"UTC0", "EAST-05:30", "WEST9"}) {
    CAPTURE(zone);
    ::setenv("TZ", zone, 1);
    ::tzset();
    CHECK(iso_time(0) == "1970-01-01T00:00:00.000Z");
    CHECK(iso_time(-1) == "1969-12-31T23:59:59.999Z");
    CHECK(iso_time(1'798'761'599'007) == "2026-12-31T23:59:59.007Z");
  }
  ::unsetenv("TZ");
  ::tzset();
}

TEST_CASE("list_tabs: of directories a megabyte is listed, as it is sent, and then it is said") {
  const std::string directory = "/" + std::string(4'000, '\x01');  // six bytes each
  ListedTabs list;
  for (int i = 0; i < 50; ++i) {
    list.tabs.push_back(tab_of("n", directory));
  }
  list.tabs.push_back(tab_of("n", "/"));
  shorten(list, nullptr);
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  const std::size_t fit = kMebibyte / json_size(directory);
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(list.tabs[i].cwd == (i < fit ? directory : ""));
  }
  CHECK(list.tabs[50].cwd == "/");
  CHECK(list.notes == std::vector<std::string>{"cwd is left out for " + std::to_string(50 - fit) +
                                               " tabs: all directories together exceed 1 MiB; close tabs"});
}

TEST_CASE("list_tabs: a long command is masked, and then it is cut") {
  const std::string secret = "correct-horse-battery-staple";
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("PHRASE", secret));
  TextGuard guard(secrets);
  ListedTabs list;
  list.tabs.push_back(tab_of("n", "/"));
  list.tabs[0].command = LastCommand();
  list.tabs[0].command->text = std::string(190, 'n') + secret;
  shorten(list, &guard);
  const std::string& text = list.tabs[0].command->text;
  CHECK(text.starts_with(std::string(190, 'n')));
  CHECK(text.size() <= 200 + std::string("…").size());
  CHECK(text.find("corr") == std::string::npos);
}

TEST_CASE("list_tabs: a row tells of the last command what there is to tell") {
  TabInfo tab = tab_of("n", "/");
  const auto row = [&tab] {
    ResultWriter writer;
    describe(writer, tab);
    return writer.result();
  };
  for (const char* field : {"command", "state", "exit_code", "started_at", "awaiting_input"}) {
    CHECK_FALSE(row().contains(field));
  }
  tab.command = LastCommand();
  tab.command->text = "make";
  tab.command->started_at_ms = 1'000;
  CHECK(row()["command"] == "make");
  CHECK(row()["state"] == "running");
  CHECK(row()["started_at"] == "1970-01-01T00:00:01.000Z");
  CHECK_FALSE(row().contains("exit_code"));
  tab.command->awaiting_input = AwaitingInput{AwaitingInput::Kind::line, "name: ", 0};
  CHECK(row()["awaiting_input"]["kind"] == "line");
  CHECK(row()["awaiting_input"]["prompt"] == "name: ");
  tab.command->awaiting_input.reset();
  tab.command->state = CommandState::failed;
  CHECK(row()["exit_code"].is_null());
  CHECK_FALSE(row().contains("started_at"));
  tab.command->exit_code = 3;
  CHECK(row()["exit_code"] == 3);
}

TEST_CASE("list_tabs: a long name is masked, and then it is cut") {
  const std::string secret = "correct-horse-battery-staple";
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("PHRASE", secret));
  TextGuard guard(secrets);
  for (const std::size_t at : {960U, 980U, 990U, 999U}) {
    CAPTURE(at);
    ListedTabs list;
    list.tabs.push_back(tab_of(std::string(at, 'n') + secret + std::string(100, 'n'), "/"));
    shorten(list, &guard);
    const std::string& name = list.tabs[0].name;
    CHECK(name.size() <= 1'000 + std::string("…").size());
    CHECK(name.starts_with(std::string(at, 'n')));
    CHECK(name.find("corr") == std::string::npos);
    CHECK(name.ends_with("…"));
  }
}
