#include "toolkit/args.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "toolkit/shared_args.hpp"

using namespace terminally;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

struct SampleArgs {
  WindowId tab;
  std::optional<WindowId> other;
  std::string name = "x";
  std::uint64_t lines = 500;
  bool force = false;
  std::optional<bool> render;
  std::size_t how = 0;
  std::map<std::string, std::string> env;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", tab, "Tab.");
    v.tab("other", other, "Other.");
    v.text("name", Need::optional, name, {1, 10}, "Name.");
    v.integer("lines", Need::optional, lines, {1, 1'000'000}, "Lines.");
    v.flag("force", force, "Force.");
    v.flag("render", render, "Render.");
    v.choice("how", how, {"gently", "hard"}, "How.");
    v.text_map("env", env, "Environment.");
  }
};

SampleArgs read(const std::string& text) {
  const json arguments = json::parse(text);
  ArgsReader reader(arguments);
  SampleArgs sample;
  sample.describe(reader);
  reader.finish();
  return sample;
}

std::string problem(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("arguments: the schema says types, ranges, defaults, and what is needed") {
  ArgsSchema schema;
  SampleArgs sample;
  sample.describe(schema);
  schema.finish();
  CHECK(schema.schema() == ordered_json::parse(R"({
    "type": "object",
    "properties": {
      "window_id": {"type": "string", "description": "Tab."},
      "other": {"type": "string", "description": "Other."},
      "name": {"type": "string", "description": "Name. Default: x."},
      "lines": {"type": "integer", "description": "Lines. Default: 500.", "minimum": 1, "maximum": 1000000},
      "force": {"type": "boolean", "description": "Force."},
      "render": {"type": "boolean", "description": "Render."},
      "how": {"type": "string", "description": "How.", "enum": ["gently", "hard"]},
      "env": {"type": "object", "description": "Environment.", "properties": {},
              "additionalProperties": {"type": "string"}}
    },
    "required": ["window_id"], "additionalProperties": false})"));
}

TEST_CASE("arguments: the schema says a default in words, where a model would not take it for granted") {
  struct Defaults {
    std::uint64_t none = 0;
    std::uint64_t some = 7;
    std::string path = ".";
    bool on = true;
    std::size_t second = 1;
    void describe(ArgsVisitor& v) {
      v.integer("none", Need::optional, none, {0, 9}, "First.");
      v.integer("some", Need::optional, some, {0, 9}, "");
      v.integer("needed", Need::required, some, {0, 9}, "Lines.");
      v.text("path", Need::optional, path, {1, 9}, "Where.");
      v.flag("on", on, "False: off.");
      v.choice("second", second, {"a", "b"}, "Which.");
    }
  };
  ArgsSchema schema;
  Defaults().describe(schema);
  schema.finish();
  std::string described;
  for (const auto& [name, property] : schema.schema()["properties"].items()) {
    described += property["description"].get<std::string>() + "|";
    CHECK_FALSE(property.contains("default"));
  }
  CHECK(described == "First.|Default: 7.|Lines.|Where. Default: .|False: off.|Which. Default: b.|");
}

TEST_CASE("arguments: what is given is read, what is not keeps its default") {
  const SampleArgs given =
      read(R"({"window_id": "@3", "other": "@4", "name": "1234567890", "lines": 1000000, "force": true,
                                "render": false, "how": "hard", "env": {"A": "1", "B": ""}})");
  CHECK(given.tab == WindowId{3});
  CHECK(given.other == WindowId{4});
  CHECK(given.name == "1234567890");
  CHECK(given.lines == 1'000'000);
  CHECK(given.force);
  CHECK(given.render == false);
  CHECK(given.how == 1);
  CHECK(given.env == std::map<std::string, std::string>{{"A", "1"}, {"B", ""}});
  const SampleArgs left_out = read(R"({"window_id": "@0"})");
  CHECK(left_out.lines == 500);
  CHECK_FALSE(left_out.other);
  CHECK_FALSE(left_out.render);
}

TEST_CASE("arguments: 5.0 is the integer 5, as in JSON Schema") {
  CHECK(read(R"({"window_id": "@1", "lines": 5.0})").lines == 5);
  CHECK(read(R"({"window_id": "@1", "lines": 1e6})").lines == 1'000'000);
}

TEST_CASE("arguments: an error names the field, the value, and what is allowed") {
  const auto with = [](const std::string& field) { return problem(R"({"window_id": "@1", )" + field + "}"); };
  CHECK(problem("{}") ==
        "window_id: missing; expected \"@\" and digits as list_tabs returns, or the name of one open tab");
  CHECK(problem(R"({"window_id": "foo"})") ==
        "window_id: \"foo\" is no tab id; expected \"@\" and digits as list_tabs returns, or the name of one "
        "open tab");
  CHECK(problem(R"({"window_id": 3})") ==
        "window_id: 3 is no tab id; expected \"@\" and digits as list_tabs returns, or the name of one open "
        "tab");
  CHECK(with(R"("lines": 0)") == "lines: 0 is out of range; allowed: an integer, 1 to 1000000");
  CHECK(with(R"("lines": -1)") == "lines: -1 is out of range; allowed: an integer, 1 to 1000000");
  CHECK(with(R"("lines": 1000001)") == "lines: 1000001 is out of range; allowed: an integer, 1 to 1000000");
  CHECK(with(R"("lines": 18446744073709551615)").starts_with("lines: 18446744073709551615 is out of range"));
  CHECK(with(R"("lines": 1e300)").starts_with("lines: 1e+300 is out of range"));
  CHECK(with(R"("lines": 5.5)") == "lines: 5.5 is no integer; allowed: an integer, 1 to 1000000");
  CHECK(with(R"("lines": "5")") == "lines: \"5\" is no integer; allowed: an integer, 1 to 1000000");
  CHECK(with(R"("lines": true)").starts_with("lines: true is no integer"));
  CHECK(with(R"("force": "yes")") == "force: \"yes\" is no boolean; allowed: true, false");
  CHECK(with(R"("force": 1)").starts_with("force: 1 is no boolean"));
  CHECK(with(R"("how": "soft")") == "how: \"soft\" is unknown; allowed: \"gently\", \"hard\"");
  CHECK(with(R"("how": 1)").starts_with("how: 1 is unknown"));
  CHECK(with(R"("name": "")") ==
        "name: is empty; leave it out for its default, or give text of 1 to 10 bytes");
  CHECK(with(R"("name": "12345678901")") == "name: has 11 bytes; allowed: text of 1 to 10 bytes");
  CHECK(with(R"("name": [1])") == "name: an array is no string; allowed: text of 1 to 10 bytes");
  CHECK(with(R"("name": "a\u0000b")") == "name: has a NUL character at byte 1; allowed: text without NUL");
  CHECK(with(R"("env": [])").starts_with("env: an array is no object"));
  CHECK(with(R"("env": {"A": 1})").starts_with("env.A: 1 is no string; allowed: a string"));
  CHECK(with(R"("env": {"A": "\u0000"})").starts_with("env.A: has a NUL"));
}

TEST_CASE("arguments: every problem is told at once, unknown names with the allowed ones") {
  CHECK(problem(R"({"window": "@1", "lines": 0})") ==
        "window_id: missing; expected \"@\" and digits as list_tabs returns, or the name of one open tab\n"
        "lines: 0 is out of range; allowed: an integer, 1 to 1000000\n"
        "\"window\": unknown argument; nearest: window_id; allowed: window_id, other, name, lines, force, "
        "render, how, env");
}

TEST_CASE("arguments: of many problems the first ten are told, and how many more there are") {
  json many = {{"window_id", "@1"}};
  for (int i = 0; i < 900; ++i) {
    many["env"]["A" + std::to_string(i)] = i;
  }
  const std::string text = problem(many.dump());
  CHECK(text.starts_with("env.A0: 0 is no string; allowed: a string"));
  CHECK(text.ends_with("\n… and 890 more"));
  CHECK(std::ranges::count(text, '\n') == 10);  // ten, and the line that says how many more
  CHECK(text.size() < 1'000);
}

TEST_CASE("arguments: a long value is cut in its error, never inside a character") {
  const std::string long_text(1'000, 'a');
  CHECK(problem(R"({"window_id": ")" + long_text + "\"}").size() < 200);
  CHECK(problem(R"({"window_id": "@1", "env": {")" + long_text + R"(": 1}})").size() < 200);
  CHECK(problem("{\"window_id\": \"\xc3\xbc\"}").starts_with("window_id: \"\\u00fc\" is no tab id"));
}

TEST_CASE("views: a rendered output is shorter where nobody says how long it may be") {
  CHECK(output_limit({}, {.strip_ansi = true}) == 32'768);
  CHECK(output_limit({}, {.render = true}) == 8'192);
  CHECK(output_limit(100'000, {.render = true}) == 100'000);
}

TEST_CASE("views: the server's --view decides when neither flag is given") {
  const auto view = [](std::optional<bool> strip, std::optional<bool> render, View fallback) {
    const TextView text = ViewArgs{strip, render}.view({.view = fallback});
    return (text.strip_ansi ? "strip " : "") + std::string(text.render ? "render" : "");
  };
  CHECK(view({}, {}, View::raw).empty());
  CHECK(view({}, {}, View::plain) == "strip ");
  CHECK(view({}, {}, View::rendered) == "render");
  CHECK(view(false, {}, View::rendered).empty());
  CHECK(view({}, false, View::plain).empty());
  CHECK(view(true, {}, View::rendered) == "strip ");
  CHECK(view({}, true, View::raw) == "render");
}

TEST_CASE("V1 views: what a wait returns has the limit of its view, as what a command returns") {
  for (const auto& [given, most] : std::vector<std::pair<const char*, std::uint64_t>>{
           {R"({"until": "exit"})", 32'768},
           {R"({"until": "exit", "strip_ansi": true})", 32'768},
           {R"({"until": "exit", "render": true})", 8'192}}) {
    const json arguments = json::parse(given);
    ArgsReader reader(arguments);
    WaitArgs wait;
    wait.describe(reader, Need::required);
    reader.finish();
    CHECK(wait.waiting({})->max_output_bytes == most);
  }
}
