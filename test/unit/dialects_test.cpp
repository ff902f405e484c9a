#include "toolkit/dialects.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

using namespace terminally;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// What a client's arguments are for the tool.
json ours(std::string_view tool, const std::string& arguments) {
  const Router router(all_tools(), {});
  return *in_our_dialect(*router.find(tool), std::make_shared<const json>(json::parse(arguments)));
}

/// What is wrong with them; empty when they are accepted.
std::string refusal(std::string_view tool, const std::string& arguments) {
  const Router router(all_tools(), {});
  const json read = ours(tool, arguments);
  ArgsReader reader(read);
  try {
    router.find(tool)->describe_args(reader);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("dialects: a string that is exactly a number, a flag, a list or an object is taken as that") {
  CHECK(ours("execute_command", R"({"command": "x", "timeout_ms": "5000"})")["timeout_ms"] == 5'000);
  CHECK(ours("execute_command", R"({"command": "x", "timeout_ms": "5e3"})")["timeout_ms"] == 5'000);
  CHECK(ours("wait_for", R"({"port": "80"})")["port"] == 80);
  CHECK(ours("execute_command", R"({"verbose": "true"})")["verbose"] == true);
  CHECK(ours("read_screen", R"({"strip_ansi": "false"})")["strip_ansi"] == false);
  CHECK(ours("send_keys", R"({"keys": "[\"Enter\", \"C-c\"]"})")["keys"] == json{"Enter", "C-c"});
  CHECK(ours("create_tab", R"({"env": "{\"A\": \"1\"}"})")["env"] == json{{"A", "1"}});
  CHECK(ours("create_tab", R"({"env": "{}"})")["env"] == json::object());
}

TEST_CASE("dialects: a number without a fraction is an integer, here and on the way to a host") {
  for (const char* whole : {"45000.0", "\"45000.0\"", "4.5e4"}) {
    CAPTURE(whole);
    const json given = ours("wait_for", std::string(R"({"timeout_ms": )") + whole + "}")["timeout_ms"];
    CHECK((given.is_number_unsigned() && given == 45'000));
  }
  CHECK(ours("wait_for", R"({"timeout_ms": -1.0})")["timeout_ms"].is_number_integer());
  CHECK(ours("wait_for", R"({"timeout_ms": 1.5})")["timeout_ms"].is_number_float());
  CHECK(ours("wait_for", R"({"timeout_ms": 1e300})")["timeout_ms"].is_number_float());
}

TEST_CASE("dialects: what is nearly one is refused, and the refusal shows what was given") {
  for (const char* value : {"5 s", " 5", "5 ", "0x5", "05", "", "five", "true", "null", "[5]", "1e999"}) {
    CAPTURE(value);
    const json arguments = {{"command", "x"}, {"timeout_ms", value}};
    const std::string text = refusal("execute_command", arguments.dump());
    CHECK(text.starts_with("timeout_ms: \"" + std::string(value) + "\" is no integer"));
  }
  CHECK(refusal("execute_command", R"({"command": "x", "timeout_ms": "-1"})")
            .starts_with("timeout_ms: -1 is out of range"));
  for (const char* value : {"yes", "True", "1", "", " true"}) {
    CAPTURE(value);
    const json arguments = {{"command", "x"}, {"verbose", value}};
    CHECK(refusal("execute_command", arguments.dump()).starts_with("verbose: \"" + std::string(value)));
  }
  CHECK(refusal("send_keys", R"({"window_id": "@1", "keys": "Enter"})")
            .starts_with("keys: \"Enter\" is no array"));
  CHECK(refusal("send_keys", R"({"window_id": "@1", "keys": "[\"Enter\""})").starts_with("keys: "));
  CHECK(refusal("create_tab", R"({"env": "[]"})").starts_with("env: \"[]\" is no object"));
  CHECK(refusal("create_tab", R"({"env": "{\"A\": 1}"})").starts_with("env.A: 1 is no string; allowed"));
}

TEST_CASE("dialects: text stays text, whatever it looks like") {
  for (const char* value : {"5000", "true", "[\"Enter\"]", "{}", "null"}) {
    const json arguments = {{"window_id", "@1"}, {"command", value}};
    CHECK(ours("execute_command", arguments.dump()) == arguments);
  }
  CHECK(ours("stop_process", R"({"signal": "5"})")["signal"] == "5");
}

TEST_CASE("dialects: null for what may be left out is as if left out, and needed is needed") {
  CHECK(ours("execute_command", R"({"command": "x", "window_id": null, "timeout_ms": null, "verbose": null,
                                    "on_timeout": null, "host": null})") == json{{"command", "x"}});
  CHECK(ours("create_tab", R"({"env": null, "name": null})") == json::object());
  CHECK(refusal("execute_command", R"({"command": null})").starts_with("command: null is no string"));
  CHECK(refusal("send_keys", R"({"window_id": "@1", "keys": null})").starts_with("keys: null is no array"));
  CHECK(refusal("create_tab", R"({"env": {"A": null}})").starts_with("env.A: null"));
}

TEST_CASE(
    "dialects: what clients add themselves is ignored, other unknown names are refused with the nearest") {
  CHECK(
      ours("list_tabs", R"({"toolCallId": "c1", "sessionId": "s", "action": "sendMessage", "chatInput": "hi",
                              "_meta": {"a": [1]}})") == json::object());
  CHECK(ours("create_tab", R"({"env": {"action": "x", "_meta": "y"}})") ==
        json{{"env", {{"action", "x"}, {"_meta", "y"}}}});
  const auto refused = [](const std::string& name) {
    return refusal("execute_command", json{{"command", "x"}, {name, "y"}}.dump());
  };
  CHECK(refused("timeout").starts_with(
      "\"timeout\": unknown argument; nearest: timeout_ms; allowed: command, "));
  CHECK(refused("timeoutMs").find("nearest: timeout_ms;") != std::string::npos);
  CHECK(refused("cmd").find("nearest: command;") != std::string::npos);
  CHECK(refused("windowId").find("nearest: window_id;") != std::string::npos);
  CHECK(refused("maxOutputBytes").find("nearest: max_output_bytes;") != std::string::npos);
  CHECK(refused("xyz").starts_with("\"xyz\": unknown argument; allowed: "));
  CHECK(refused("Action").starts_with("\"Action\": unknown argument; "));
  CHECK(refused(std::string(100'000, 'a')).size() < 400);
  CHECK(refusal("list_tabs", R"({"x": 1})") == "\"x\": unknown argument; this tool takes none");
}

namespace {

/// A provider of models, and the keywords that it takes in the schema of a tool's arguments. One tool with
/// another keyword, and each call with the list of tools is answered by 400.
struct Provider {
  const char* name;
  std::set<std::string> keywords;
};

const std::set<std::string> kCommon = {"type", "properties", "required", "description", "enum", "items"};

std::set<std::string> and_also(std::set<std::string> more) {
  more.insert(kCommon.begin(), kCommon.end());
  return more;
}

const std::vector<Provider> kProviders = {
    // strict: true. No default ("'default' is not permitted"), no length of a text, no $ref to elsewhere, no
    // allOf, not, if. https://platform.openai.com/docs/guides/structured-outputs
    {"OpenAI", and_also({"additionalProperties", "minimum", "maximum", "minItems", "maxItems"})},
    // The Schema of function declarations; its gateways strip additionalProperties.
    // https://ai.google.dev/api/caching#Schema
    {"Gemini", and_also({"additionalProperties", "minimum", "maximum", "minItems", "maxItems", "default",
                         "minLength", "maxLength", "format", "anyOf"})},
    // Any JSON Schema, but for combinations at the top.
    {"Anthropic", and_also({"additionalProperties", "minimum", "maximum", "minItems", "maxItems", "default",
                            "minLength", "maxLength", "anyOf", "$ref"})},
    {"Bedrock", and_also({"additionalProperties", "minimum", "maximum", "minItems", "maxItems", "default",
                          "minLength", "maxLength"})},
};

bool matches(const std::string& text, const char* pattern) {
  return std::regex_match(text, std::regex(pattern));
}

/// Rules that all of them have for a schema: what is broken, with where.
std::string broken(const ordered_json& schema, const Provider& provider, const std::string& where) {
  std::string wrong;
  for (const auto& [keyword, value] : schema.items()) {
    wrong += provider.keywords.contains(keyword) ? "" : where + ": " + keyword + "\n";
  }
  wrong += schema["type"].is_string() ? "" : where + ": a list of types\n";
  wrong += schema["type"] == "array" && !schema.contains("items") ? where + ": no items\n" : "";
  wrong += schema.contains("enum") && schema["type"] != "string" ? where + ": an enum of no strings\n" : "";
  if (schema["type"] == "object") {
    const ordered_json properties = schema.value("properties", ordered_json::object());
    // env alone is open, as its names are the caller's; strict converters pass that one tool on as it is.
    const bool closed = schema.contains("additionalProperties") && schema["additionalProperties"] == false;
    wrong += schema.contains("properties") ? "" : where + ": no properties\n";
    wrong += closed || where == "create_tab.env" ? "" : where + ": open\n";
    for (const auto& name : schema.value("required", ordered_json::array())) {
      wrong += properties.contains(name) ? "" : where + ": requires what is not there\n";
    }
    for (const auto& [name, property] : properties.items()) {
      wrong += matches(name, "[a-zA-Z0-9_.-]{1,64}") ? "" : where + ": a strange name\n";
      wrong += broken(property, provider, where + "." + name);
    }
  }
  return wrong + (schema.contains("items") ? broken(schema["items"], provider, where + "[]") : "");
}

}  // namespace

TEST_CASE("providers: each takes the list of tools as it is") {
  const ordered_json tools = Router(all_tools(), {}).list();
  for (const Provider& provider : kProviders) {
    for (const ordered_json& tool : tools) {
      const auto name = tool["name"].get<std::string>();
      CAPTURE(provider.name);
      CHECK(matches(name, "[a-zA-Z][a-zA-Z0-9_]{0,63}"));
      CHECK(tool["description"].get<std::string>().size() <= 1'024);
      CHECK(tool["inputSchema"]["type"] == "object");
      CHECK(broken(tool["inputSchema"], provider, name).empty());
    }
  }
  const ordered_json bad = ordered_json::parse(R"({"type": "object", "properties": {"a b": {"$ref": "#/x",
      "type": ["string", "null"]}, "l": {"type": "array"}, "o": {"type": "object"}}, "required": ["z"]})");
  const std::string faults = broken(bad, kProviders[0], "t");
  for (const char* fault : {"t: open", "t: requires", "t: a strange", "$ref", "a list of types",
                            "t.l: no items", "t.o: no properties", "t.o: open"}) {
    CHECK(faults.find(fault) != std::string::npos);
  }
}
