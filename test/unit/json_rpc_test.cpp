#include "json/json_rpc.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "json/json_reader.hpp"

using namespace terminally;
using nlohmann::json;
using Kind = RpcMessage::Kind;

namespace {

RpcMessage read_one(std::string_view line) {
  RpcInput input = read_messages(line);
  REQUIRE(input.messages.size() == 1);
  return input.messages.front();
}

std::string nested(std::size_t depth, const std::string& open, const std::string& inner,
                   const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text += open;
  }
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) {
    text += close;
  }
  return text;
}

struct Bad {
  std::string line;
  int code;
  std::string id{};  // NOLINT(readability-redundant-member-init): or -Wmissing-field-initializers
};

/// What is not JSON in UTF-8.
std::vector<Bad> not_json() {  // NOLINT(readability-function-size): a table
  std::vector<Bad> bad;
  for (const std::string text : {"x",
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 "{]}",
                                 "[}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{,}",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "{a:1}",
                                 "{'a':1}",
                                 "'a'",
                                 "\"",
                                 "\"a",
                                 "\"\\\"",
                                 "\"\\x\"",
                                 "\"\\u12\"",
                                 "\"\\u12g4\"",
                                 "\"\\ud800\"",
                                 "\"\\udc00\"",
                                 "\"\\ud800\\ud800\"",
                                 "\"\\ud83dx\"",
                                 "{\"\\ud800\":1}",
                                 "\"\t\"",
                                 "\"\x01\"",
                                 "\"\x1b\"",
                                 "01",
                                 "-",
                                 "+1",
                                 ".5",
                                 "1.",
                                 "1e",
                                 "1e+",
                                 "0x1",
                                 "1e400",
                                 "-1e999",
                                 "NaN",
                                 "Infinity",
                                 "-Infinity",
                                 "nan",
                                 "True",
                                 "nul",
                                 "truefalse",
                                 "null null",
                                 "{}{}",
                                 "{} x",
                                 "[] []",
                                 "1 2",
                                 "// c\n{}",
                                 "/**/{}",
                                 "{}//",
                                 "#",
                                 "\\",
                                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
                                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}",
                                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} trailing",
                                 "\xff",
                                 "\xfe\xff",
                                 "\xff\xfe{\"a\":1}",
                                 "\"\xff\"",
                                 "\"\xc3\"",
                                 "\"\xc3\x28\"",
                                 "\"\xc0\x80\"",
                                 "\"\xe0\x80\x80\"",
                                 "\"\xed\xa0\x80\"",
                                 "\"\xf4\x90\x80\x80\"",
                                 "\"\xf8\x88\x80\x80\x80\"",
                                 "{\"\xff\":1}",
                                 "\x80{}",
                                 "\xef\xbb{}"}) {
    bad.push_back({text, kParseError});
  }
  // No character, but all around it can be read.
  for (const std::string text :
       {"\xff", "\xed\xa0\xbd", "\\ud800", "x\\ud83d", "\\ud83dx", "\\udc00", "\\uD83D\\uD83D",
        "\\ud83d\\\\ude00", "\\u0041\\udE00", "\\ud83d\\ude00\\ud83d"}) {
    const std::string params = R"(,"method":"ping","params":{"text":")" + text + R"("}})";
    bad.push_back({R"({"jsonrpc":"2.0","id":"a\\\u00e4")" + params, kParseError, "\"a\\\\\xc3\xa4\""});
    bad.push_back({R"({"jsonrpc":"2.0","id":7)" + params, kParseError, "7"});
    bad.push_back({R"({"jsonrpc":"2.0")" + params, kParseError});
    bad.push_back({R"({"jsonrpc":"2.0","id":")" + text + R"(","method":"ping"})", kParseError});
    bad.push_back({R"({"jsonrpc":"2.0","id":7)" + params + "}", kParseError});
  }
  return bad;
}

std::vector<Bad> hostile() {
  const std::string many = nested(kMaxJsonValues, "1,", "1", "");
  return {
      {std::string("\0", 1), kParseError},
      {std::string("{}\0", 3), kParseError},
      {std::string("{}\0{}", 5), kParseError},
      {std::string(R"({"jsonrpc":"2.0","id":1,"method":"pi)") + '\0' + "ng\"}", kParseError},
      {std::string(10'000, '['), kParseError},
      {nested(10'000, "[", "", "]"), kParseError},
      {nested(10'000, "{\"a\":", "1", "}"), kParseError},
      {nested(kMaxJsonDepth + 1, "[", "", "]"), kParseError},
      {"[" + many + "]", kParseError},
  };
}

/// JSON, but no message; with the id of the request that it nearly is.
std::vector<Bad> not_messages() {
  return {
      {"null", kInvalidRequest},
      {"true", kInvalidRequest},
      {"7", kInvalidRequest},
      {"-0.5e3", kInvalidRequest},
      {"\"ping\"", kInvalidRequest},
      {"[]", kInvalidRequest},
      {"{}", kInvalidRequest},
      {"\xef\xbb\xbf{}", kInvalidRequest},
      {R"({"jsonrpc":"2.0"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"params":{}})", kInvalidRequest, "1"},
      {R"({"id":1,"method":"ping"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"1.0","id":"a","method":"ping"})", kInvalidRequest, "\"a\""},
      {R"({"jsonrpc":2.0,"id":1,"method":"ping"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":null,"id":1,"method":"ping"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":null})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":["ping"]})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","method":7})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1e300,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", kInvalidParams, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":"x"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":7})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":false})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","error":{}})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1,"b":2}}})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"x"})", kInvalidRequest, "1"},
      {R"([{"id":1,"id":2}])", kInvalidRequest},
  };
}

}  // namespace

TEST_CASE("R9: a corpus of bad lines, each with exactly one error") {
  std::vector<Bad> corpus = not_json();
  for (const auto& more : {hostile(), not_messages()}) {
    corpus.insert(corpus.end(), more.begin(), more.end());
  }
  CHECK(corpus.size() >= 100);
  for (const Bad& bad : corpus) {
    CAPTURE(bad.line.substr(0, 200));
    const RpcMessage message = read_one(bad.line);
    CHECK(message.kind == Kind::invalid);
    CHECK(message.error.code() == bad.code);
    CHECK(message.id == bad.id);
    const json answer = json::parse(error_message(message.id, message.error));
    CHECK(answer["jsonrpc"] == "2.0");
    CHECK(answer.contains("id") == !bad.id.empty());
    CHECK_FALSE(answer["error"]["message"].get<std::string>().empty());
  }
}

TEST_CASE("R9: every prefix of a request is a parse error or, at its end, the request") {
  const std::string line =
      R"({"jsonrpc":"2.0","id":"\u00e4\ud83d\ude00","method":"tools/call","params":{"a":[1,-2.5e3,null]}})";
  for (std::size_t size = 1; size < line.size(); ++size) {
    REQUIRE(read_one(line.substr(0, size)).error.code() == kParseError);
  }
  CHECK(read_one(line).kind == Kind::request);
}

TEST_CASE("ids keep their type and value") {
  for (const std::string id : {"0", "-1", "7", "9007199254740991", "9223372036854775807",
                               "18446744073709551615", "\"\"", "\"0\"", "\"a b\"", "\"\xc3\xbc\""}) {
    CAPTURE(id);
    const RpcMessage message = read_one(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})");
    CHECK(message.kind == Kind::request);
    CHECK(message.id == id);
    CHECK(result_message(message.id, nlohmann::ordered_json::object()) ==
          R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
  }
}

TEST_CASE("what is no request is never answered") {
  const RpcMessage notification = read_one(R"({"jsonrpc":"2.0","method":"x","params":{"a":1}})");
  CHECK(notification.kind == Kind::notification);
  CHECK(notification.params->at("a") == 1);
  for (const char* line :
       {R"({"jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","id":null,"error":{"code":1}})",
        R"({"jsonrpc":"2.0","id":1.5,"result":{}})", R"({"id":1,"result":1,"result":2})",
        R"({"jsonrpc":"2.0","method":"x","params":[]})", R"({"jsonrpc":"2.0","method":"x","params":7})",
        R"({"jsonrpc":"2.0","method":"x","a":1,"a":2})"}) {
    CAPTURE(line);
    CHECK(read_one(line).kind == Kind::ignored);
  }
  for (const char* line : {R"({"jsonrpc":"2.0","id":"a","result":{}})", R"({"id":"a","error":{"code":1}})"}) {
    CAPTURE(line);
    const RpcMessage response = read_one(line);
    CHECK(response.kind == Kind::response);
    CHECK(response.key == "\"a\"");
    CHECK(*response.params == json::parse(line));
  }
}

TEST_CASE("params: absent and null are an empty object") {
  for (const char* params : {"", R"(,"params":null)", R"(,"params":{})"}) {
    const RpcMessage message =
        read_one(R"({"jsonrpc":"2.0","id":1,"method":"ping")" + std::string(params) + "}");
    CHECK(message.kind == Kind::request);
    CHECK(*message.params == json::object());
  }
}

TEST_CASE("an array is a batch of what is in it") {
  const RpcInput input =
      read_messages(R"([{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},7])");
  CHECK(input.batch);
  REQUIRE(input.messages.size() == 3);
  CHECK(input.messages[0].kind == Kind::request);
  CHECK(input.messages[1].kind == Kind::notification);
  CHECK(input.messages[2].kind == Kind::invalid);
}

TEST_CASE("depth and size up to the limits are read") {
  json value;
  std::string detail;
  CHECK(read_json(nested(kMaxJsonDepth, "[", "", "]"), value, detail) == JsonFault::none);
  CHECK(read_json(nested(kMaxJsonDepth + 1, "[", "", "]"), value, detail) == JsonFault::too_deep);
  CHECK(read_json("[" + nested(kMaxJsonValues - 2, "1,", "1", "") + "]", value, detail) == JsonFault::none);
  CHECK(value.size() == kMaxJsonValues - 1);
  CHECK(read_json("[" + nested(kMaxJsonValues - 1, "1,", "1", "") + "]", value, detail) ==
        JsonFault::too_large);
  CHECK(read_json(R"({"a":{"b":1},"a":2})", value, detail) == JsonFault::duplicate_key);
  CHECK(detail == "a");
  CHECK(value == json::parse(R"({"a":{"b":1}})"));
}

TEST_CASE("in order: fields as they came, up to a number of keys") {
  nlohmann::ordered_json value;
  std::string detail;
  CHECK(read_json(R"({"z":1,"a":[{"y":2,"b":3}]})", value, detail) == JsonFault::none);
  CHECK(value.dump() == R"({"z":1,"a":[{"y":2,"b":3}]})");
  CHECK(read_json(R"({"z":1,"a":2,"z":3})", value, detail) == JsonFault::duplicate_key);
  CHECK(value.dump() == R"({"z":1,"a":2})");
  const auto with_keys = [](std::size_t count) {
    json object = json::object();
    for (std::size_t key = 0; key < count; ++key) {
      object[std::to_string(key)] = key;
    }
    return object.dump();
  };
  CHECK(read_json(with_keys(kMaxOrderedKeys), value, detail) == JsonFault::none);
  CHECK(read_json(with_keys(kMaxOrderedKeys + 1), value, detail) == JsonFault::too_large);
}

TEST_CASE("a repeated key within the value of a repeated key is one more fault, and the rest is read") {
  json value;
  std::string detail;
  CHECK(read_json(R"({"a":1,"a":{"b":1,"b":2,"c":{"d":3}},"e":[4]})", value, detail) ==
        JsonFault::duplicate_key);
  CHECK(detail == "a");
  CHECK(value == json::parse(R"({"a":1,"e":[4]})"));
}

TEST_CASE("a repeated key is answered to by the id, unless that is what is repeated") {
  const auto refused = [](const char* text) {
    const RpcInput input = read_messages(text);
    REQUIRE(input.messages.size() == 1);
    CHECK(input.messages.front().kind == RpcMessage::Kind::invalid);
    CHECK(input.messages.front().error.code() == kInvalidRequest);
    return input.messages.front().id;
  };
  CHECK(refused(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}})") == "1");
  CHECK(refused(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"id":1,"id":2}})") == "1");
  CHECK(refused(R"({"jsonrpc":"2.0","id":1,"method":"m","id":2})").empty());
  CHECK(refused(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2},"id":2})").empty());
  CHECK(refused(R"({"params":{"id":{"id":1,"id":2}},"jsonrpc":"2.0","id":"x","method":"m"})") == "\"x\"");
}

TEST_CASE("an error does not say more than a reader wants to know") {
  const std::string name(3'000'001, 'k');
  CHECK(error_message("1", ProtocolError(-1, "Unknown tool: " + name)).size() < 1'200);
  std::string odd = "x";
  for (int i = 0; i < 2'000; ++i) {
    odd += "ä";
  }
  const json message = json::parse(error_message("1", ProtocolError(-1, odd)));
  CHECK(message["error"]["message"].get<std::string>().ends_with("ä…"));
}

TEST_CASE("messages are one line of valid UTF-8, whatever is in them") {
  nlohmann::ordered_json params;
  params["text"] = "a\n\r\xff\x1b";
  CHECK(notification_message("n", params) ==
        "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"text\":\"a\\n\\r\xef\xbf\xbd\\u001b\"}}");
  CHECK(error_message("", ProtocolError(-1, "x\xff", R"({"a":1})")) ==
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"x\xef\xbf\xbd\",\"data\":{\"a\":1}}}");
}
