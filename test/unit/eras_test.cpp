// What is asked and answered, in both eras.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "connection.hpp"

using namespace terminally;
using namespace terminally::test;

TEST_CASE("initialize: a legacy version is answered with itself, any other with the newest legacy one") {
  Connection connection;
  for (const std::string version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const ordered_json result = connection.ask("initialize", versioned(version), "0")["result"];
    CHECK(result["protocolVersion"] == version);
    CHECK(result["serverInfo"] == ordered_json::parse(R"({"name":"test","version":"1"})"));
    const ordered_json& has = result["capabilities"];
    for (const char* always : {"tools", "logging", "prompts", "resources"}) {
      CHECK(has.contains(always));
    }
    CHECK(has["resources"] == ordered_json::parse(R"({"subscribe":true,"listChanged":true})"));
    CHECK(has.contains("completions") == (version >= "2025-03-26"));
    CHECK(has.contains("tasks") == (version == "2025-11-25"));
    CHECK_FALSE(has.contains("extensions"));
    CHECK(result["instructions"].get<std::string>().size() <= 600);
    CHECK_FALSE(result.contains("resultType"));
  }
  for (const std::string version : {"2026-07-28", "2099-01-01", "1999-01-01", "", "2024-10-07"}) {
    CHECK(connection.ask("initialize", versioned(version))["result"]["protocolVersion"] == "2025-11-25");
  }
  CHECK(connection.error_of("initialize", "{}") == kInvalidParams);
  CHECK(connection.error_of("initialize", R"({"protocolVersion":7})") == kInvalidParams);
}

TEST_CASE("the era is decided for each message: discover, then initialize, then both") {
  Connection connection;
  const ordered_json found = connection.ask("server/discover", claim(), "\"probe-1\"")["result"];
  CHECK(found["resultType"] == "complete");
  CHECK(found["supportedVersions"].at(0) == "2026-07-28");
  CHECK(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "test");
  CHECK(found["ttlMs"].is_number_integer());
  CHECK(found["cacheScope"] == "private");
  CHECK(found["capabilities"] ==
        ordered_json::parse(R"({"tools":{},"prompts":{},"resources":{"subscribe":true,"listChanged":true},
                                "completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})"));
  CHECK(connection.ask("initialize", versioned("2025-06-18"))["result"]["protocolVersion"] == "2025-06-18");
  CHECK_FALSE(connection.ask("tools/list")["result"].contains("resultType"));
  const ordered_json listed = connection.ask("tools/list", claim())["result"];
  CHECK(listed["resultType"] == "complete");
  CHECK(listed["ttlMs"].is_number_integer());
  CHECK(listed["cacheScope"] == "private");
  const ordered_json called = connection.ask("tools/call", claim(R"(,"name":"echo")"))["result"];
  CHECK(called["resultType"] == "complete");
  CHECK(called["structuredContent"]["text"] == "none");
  CHECK_FALSE(called.contains("ttlMs"));
  CHECK(connection.ask("ping")["result"] == ordered_json::object());
}

TEST_CASE("modern requests: claims that are not whole, not supported, or name a legacy method") {
  Connection connection;
  const ordered_json answer = connection.ask("tools/list", claim("", "\"2031-01-01\""))["error"];
  CHECK(answer["code"] == kUnsupportedProtocolVersion);
  CHECK(answer["data"]["requested"] == "2031-01-01");
  CHECK(answer["data"]["supported"] ==
        connection.ask("server/discover", claim())["result"]["supportedVersions"]);
  CHECK(connection.error_of("tools/list", claim("", "\"2025-11-25\"")) == kUnsupportedProtocolVersion);
  CHECK(connection.error_of("tools/list", claim("", "7")) == kInvalidParams);
  CHECK(connection.error_of("tools/list",
                            R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})") ==
        kInvalidParams);
  CHECK(connection.error_of("server/discover", "{}") == kInvalidParams);
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "tasks/list", "tasks/result", "nothing"}) {
    CHECK(connection.error_of(method, claim()) == kMethodNotFound);
  }
}

TEST_CASE("methods that do not exist, levels, cursors, calls that are wrong") {
  Connection connection;
  for (const char* method : {"", "nothing", "tools", "roots/list", "subscriptions/listen", "tasks/update"}) {
    CHECK(connection.error_of(method, "{}") == kMethodNotFound);
  }
  CHECK(connection.ask("logging/setLevel", R"({"level":"warning"})")["result"] == ordered_json::object());
  CHECK(connection.error_of("logging/setLevel", R"({"level":"loud"})") == kInvalidParams);
  CHECK(connection.error_of("logging/setLevel", "{}") == kInvalidParams);
  CHECK(connection.error_of("tools/list", R"({"cursor":"2"})") == kInvalidParams);
  CHECK(connection.error_of("tools/list", R"({"cursor":null})") == 0);
  for (const char* params :
       {"{}", R"({"name":7})", R"({"name":"nothing"})", R"({"name":"echo","arguments":[]})",
        R"({"name":"echo","arguments":"x"})", R"({"name":"echo","_meta":{"progressToken":1.5}})",
        R"({"name":"echo","task":true})"}) {
    CAPTURE(params);
    CHECK(connection.error_of("tools/call", params) == kInvalidParams);
  }
  CHECK(connection.ask("tools/call", R"({"name":"nothing"})")["error"]["message"] == "Unknown tool: nothing");
}

TEST_CASE("T14: a result comes twice, as text and as an object") {
  Connection connection;
  const ordered_json result =
      connection.ask("tools/call", R"({"name":"echo","arguments":{"text":"a\n\"b\""}})")["result"];
  CHECK(result["structuredContent"] == ordered_json::parse(R"({"text":"a\n\"b\""})"));
  CHECK(result["content"].size() == 1);
  CHECK(result["content"][0]["type"] == "text");
  CHECK(result["content"][0]["text"] == "{\n  \"text\": \"a\\n\\\"b\\\"\"\n}");
  CHECK_FALSE(result.contains("isError"));
  for (const char* params :
       {R"({"name":"echo"})", R"({"name":"echo","arguments":null})", R"({"name":"echo","arguments":{}})"}) {
    CHECK(connection.ask("tools/call", params)["result"]["structuredContent"]["text"] == "none");
  }
}

TEST_CASE("what a tool cannot do is a result; a bug of ours is an internal error that tells nothing") {
  Connection connection;
  const ordered_json missing =
      connection.ask("tools/call", R"({"name":"fail","arguments":{"text":"error"}})")["result"];
  CHECK(missing["isError"] == true);
  CHECK(missing["content"][0]["text"] == "no such tab");
  CHECK_FALSE(missing.contains("structuredContent"));
  const ordered_json wrong =
      connection.ask("tools/call", R"({"name":"echo","arguments":{"txt":"x"}})")["result"];
  CHECK(wrong["isError"] == true);
  CHECK(wrong["content"][0]["text"] == "\"txt\": unknown argument; nearest: text; allowed: text");
  const ordered_json bug = connection.ask("tools/call", R"({"name":"fail"})")["error"];
  CHECK(bug["code"] == kInternalError);
  CHECK(bug.dump().find("secret") == std::string::npos);
}

TEST_CASE("older revisions get only what they know") {
  const auto list = [](const std::string& version) {
    Connection connection;
    connection.ask("initialize", versioned(version));
    const ordered_json tool = connection.ask("tools/list")["result"]["tools"][0];
    const ordered_json result = connection.ask("tools/call", R"({"name":"echo"})")["result"];
    return std::string(tool.contains("annotations") ? "annotations " : "") +
           (tool.contains("outputSchema") ? "outputSchema " : "") +
           (result.contains("structuredContent") ? "structuredContent" : "");
  };
  CHECK(list("2024-11-05").empty());
  CHECK(list("2025-03-26") == "annotations ");
  CHECK(list("2025-06-18") == "annotations outputSchema structuredContent");
  CHECK(list("2025-11-25") == "annotations outputSchema structuredContent");
}
