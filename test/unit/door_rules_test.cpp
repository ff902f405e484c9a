#include "door/post_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "connection.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

struct Judged {
  unsigned status = 0;  ///< 0: not refused
  int code = 0;
  std::string id;
  PostKind kind = PostKind::modern;
};

/// Judges texts of a caller who has the session "s".
struct Judge {
  TestServer server;

  Judged operator()(const McpHead& head, const std::string& text) {
    const auto has = [](std::string_view id) { return id == "s"; };
    const auto judged = judge_post(head, read_messages(text), has, server.core()->find_method);
    if (const auto* refused = std::get_if<Refusal>(&judged)) {
      return {refused->status, refused->error.code(), refused->id, PostKind::modern};
    }
    return {0, 0, "", std::get<PostKind>(judged)};
  }
};

std::string asking(const std::string& method, const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}";
}

std::string noticing(const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","method":"notifications/x","params":)" + params + "}";
}

McpHead modern_head(std::string_view method, std::string_view name = {}) {
  McpHead head;
  head.version = "2026-07-28";
  head.method = method;
  head.name = name;
  return head;
}

McpHead session_head(std::string_view session, std::string_view version = {}) {
  McpHead head;
  head.session = session;
  head.version = version;
  return head;
}

const std::string kCall = claim(R"(,"name":"echo")");

}  // namespace

TEST_CASE("http rules: a body is JSON by its type") {
  struct Row {
    const char* type;
    bool good;
  };
  const std::vector<Row> rows = {{"application/json", true},
                                 {"application/json; charset=utf-8", true},
                                 {"Application/JSON", true},
                                 {" application/json ", true},
                                 {"", false},
                                 {"text/plain", false},
                                 {"application/jsonx", false},
                                 {"application/json, text/plain", false},
                                 {"application/json-rpc", false}};
  for (const Row& row : rows) {
    CAPTURE(row.type);
    McpHead head;
    head.content_type = row.type;
    const auto refused = refuse_type(head);
    CHECK(refused.has_value() != row.good);
    CHECK((!refused || refused->status == 415));
  }
}

TEST_CASE("http rules: who takes events") {
  const auto takes = [](std::string_view accept) {
    McpHead head;
    head.accept = accept;
    return takes_events(head);
  };
  CHECK(takes("text/event-stream"));
  CHECK(takes("application/json, text/event-stream"));
  CHECK(takes("application/json,text/event-stream;q=0.5"));
  CHECK_FALSE(takes(""));
  CHECK_FALSE(takes("application/json"));
  CHECK_FALSE(takes("*/*"));
  CHECK_FALSE(takes("text/event-streams"));
}

TEST_CASE("http rules: values in base64") {
  CHECK(decoded_header("plain") == "plain");
  CHECK(decoded_header("") == "");
  CHECK(decoded_header("=?base64?YcOk?=") == "a\u00e4");
  CHECK(decoded_header("=?base64?\?=") == "");
  CHECK_FALSE(decoded_header("=?base64?YcOk=?="));
  CHECK_FALSE(decoded_header("=?base64?Y?="));
  CHECK_FALSE(decoded_header("=?base64?Y c=?="));
  CHECK(decoded_header("=?BASE64?YcOk?=") == "=?BASE64?YcOk?=");
  CHECK(decoded_header("=?base64?YcOk") == "=?base64?YcOk");
  CHECK(decoded_header("=?base64?=") == "=?base64?=");
}

TEST_CASE("http rules: the status of a reply") {
  struct Row {
    int error;
    unsigned legacy;
    unsigned modern;
  };
  const std::vector<Row> rows = {{0, 200, 200},
                                 {kParseError, 400, 400},
                                 {kInvalidRequest, 400, 400},
                                 {kMethodNotFound, 200, 404},
                                 {kInvalidParams, 200, 200},
                                 {kInternalError, 200, 200},
                                 {kHeaderMismatch, 200, 400},
                                 {kMissingClientCapability, 200, 400},
                                 {kUnsupportedProtocolVersion, 200, 400},
                                 {-32002, 200, 200}};
  for (const Row& row : rows) {
    CAPTURE(row.error);
    CHECK(status_of_reply(row.error, false) == row.legacy);
    CHECK(status_of_reply(row.error, true) == row.modern);
  }
}

TEST_CASE("http rules: modern texts, in the order of the checks") {
  struct Row {
    const char* what;
    McpHead head;
    std::string text;
    unsigned status;
    int code;
  };
  const McpHead right = modern_head("tools/call", "echo");
  McpHead no_version = right;
  no_version.version = "";
  McpHead other_version = right;
  other_version.version = "2025-11-25";
  McpHead of_session = right;
  of_session.session = "unknown";
  const std::string no_capabilities =
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"echo"})";
  const std::vector<Row> rows = {
      {"right", right, asking("tools/call", kCall), 0, 0},
      {"sessions are none of its business", of_session, asking("tools/call", kCall), 0, 0},
      {"no JSON", right, "{", 400, kParseError},
      {"no message", right, "[]", 400, kInvalidRequest},
      {"a batch", right, "[" + asking("tools/call", kCall) + "]", 400, kInvalidRequest},
      {"a response", right, R"({"jsonrpc":"2.0","id":1,"result":{}})", 400, kInvalidRequest},
      {"an invalid request", right, R"({"id":7,"method":"ping"})", 400, kInvalidRequest},
      {"no header of the version", no_version, asking("tools/call", kCall), 400, kHeaderMismatch},
      {"another one", other_version, asking("tools/call", kCall), 400, kHeaderMismatch},
      {"no claim", right, asking("tools/call", R"({"name":"echo"})"), 400, kInvalidParams},
      {"initialize without a claim", right, asking("initialize"), 400, kInvalidParams},
      {"discover without a claim", McpHead(), asking("server/discover"), 400, kInvalidParams},
      {"no capabilities", right, asking("tools/call", no_capabilities), 400, kInvalidParams},
      {"a claim that is no text", right, asking("tools/call", claim("", "1")), 400, kInvalidParams},
      {"a version that is not known", modern_head("tools/call"),
       asking("tools/call", claim("", "\"2099-01-01\"")), 400, kHeaderMismatch},
      {"no Mcp-Method", modern_head("", "echo"), asking("tools/call", kCall), 400, kHeaderMismatch},
      {"another Mcp-Method", modern_head("tools/list", "echo"), asking("tools/call", kCall), 400,
       kHeaderMismatch},
      {"in another case", modern_head("Tools/Call", "echo"), asking("tools/call", kCall), 400,
       kHeaderMismatch},
      {"it twice", modern_head("tools/call, tools/call", "echo"), asking("tools/call", kCall), 400,
       kHeaderMismatch},
      {"no Mcp-Name", modern_head("tools/call"), asking("tools/call", kCall), 400, kHeaderMismatch},
      {"another Mcp-Name", modern_head("tools/call", "fail"), asking("tools/call", kCall), 400,
       kHeaderMismatch},
      {"Mcp-Name in base64", modern_head("tools/call", "=?base64?ZWNobw==?="), asking("tools/call", kCall), 0,
       0},
      {"bad base64", modern_head("tools/call", "=?base64?ZWNobw=?="), asking("tools/call", kCall), 400,
       kHeaderMismatch},
      {"no name at all", modern_head("tools/call"), asking("tools/call", claim()), 0, 0},
      {"uri", modern_head("resources/read", "a:b"), asking("resources/read", claim(R"(,"uri":"a:b")")), 0, 0},
      {"another uri", modern_head("resources/read", "a:c"),
       asking("resources/read", claim(R"(,"uri":"a:b")")), 400, kHeaderMismatch},
      {"a task", modern_head("tasks/get", "t"), asking("tasks/get", claim(R"(,"taskId":"t")")), 0, 0},
      {"no name for a task", modern_head("tasks/get"), asking("tasks/get", claim(R"(,"taskId":"t")")), 400,
       kHeaderMismatch},
      {"no name for a prompt", modern_head("prompts/get"), asking("prompts/get", claim(R"(,"name":"p")")),
       400, kHeaderMismatch},
      {"nor for a task's cancel", modern_head("tasks/cancel"),
       asking("tasks/cancel", claim(R"(,"taskId":"t")")), 400, kHeaderMismatch},
      {"nor for its update", modern_head("tasks/update"), asking("tasks/update", claim(R"(,"taskId":"t")")),
       400, kHeaderMismatch},
      {"a method that went", modern_head("ping"), asking("ping", claim()), 404, kMethodNotFound},
      {"whose task is not named", modern_head("tasks/result"),
       asking("tasks/result", claim(R"(,"taskId":"t")")), 404, kMethodNotFound},
      {"initialize with a claim", modern_head("initialize"), asking("initialize", claim()), 404,
       kMethodNotFound},
      {"headers before the method", modern_head("pong"), asking("ping", claim()), 400, kHeaderMismatch},
  };
  Judge judge;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Judged judged = judge(row.head, row.text);
    CHECK(judged.status == row.status);
    CHECK(judged.code == row.code);
    CHECK(judged.kind == PostKind::modern);
  }
  McpHead future = modern_head("tools/list");
  future.version = "2099-01-01";
  const Judged unknown = judge(future, asking("tools/list", claim("", "\"2099-01-01\"")));
  CHECK(unknown.status == 400);
  CHECK(unknown.code == kUnsupportedProtocolVersion);
  CHECK(unknown.id == "7");
  CHECK(judge(right, noticing(claim())).kind == PostKind::modern_notice);
  CHECK(judge(right, noticing()).kind == PostKind::modern_notice);
  CHECK(judge(McpHead(), noticing(claim())).kind == PostKind::modern_notice);
}

TEST_CASE("http rules: legacy texts, in the order of the checks") {
  struct Row {
    const char* what;
    McpHead head;
    std::string text;
    unsigned status;
    int code;
    PostKind kind;
  };
  const std::string batch = "[" + asking("ping") + "]";
  const std::vector<Row> rows = {
      {"initialize", McpHead(), asking("initialize"), 0, 0, PostKind::begins},
      {"of some version", session_head("", "1999-01-01"), asking("initialize"), 0, 0, PostKind::begins},
      {"no JSON", session_head("unknown"), "{", 400, kParseError, PostKind::modern},
      {"no request", session_head("unknown"), R"({"id":7})", 400, kInvalidRequest, PostKind::modern},
      {"no session", McpHead(), asking("ping"), 400, -32000, PostKind::modern},
      {"an unknown one", session_head("S"), asking("ping"), 404, -32001, PostKind::modern},
      {"initialize in an unknown one", session_head("S"), asking("initialize"), 404, -32001,
       PostKind::modern},
      {"initialize once more", session_head("s"), asking("initialize"), 400, kInvalidRequest,
       PostKind::modern},
      {"unknown before the version", session_head("S", "1999-01-01"), asking("ping"), 404, -32001,
       PostKind::modern},
      {"an unknown version", session_head("s", "1999-01-01"), asking("ping"), 400, -32000, PostKind::modern},
      {"the version before initialize", session_head("s", "1999-01-01"), asking("initialize"), 400, -32000,
       PostKind::modern},
      {"right", session_head("s"), asking("ping"), 0, 0, PostKind::in_session},
      {"any known version", session_head("s", "2024-11-05"), asking("ping"), 0, 0, PostKind::in_session},
      {"an unknown method is the peer's", session_head("s"), asking("pong"), 0, 0, PostKind::in_session},
      {"a notification", session_head("s"), noticing(), 0, 0, PostKind::in_session},
      {"a response", session_head("s"), R"({"jsonrpc":"2.0","id":1,"result":{}})", 0, 0,
       PostKind::in_session},
      {"a notification without a session", McpHead(), noticing(), 400, -32000, PostKind::modern},
      {"a batch", session_head("s"), batch, 0, 0, PostKind::in_session},
      {"one that begins with nonsense", session_head("s"), "[1," + asking("ping") + "]", 0, 0,
       PostKind::in_session},
      {"without a session", McpHead(), batch, 400, -32000, PostKind::modern},
      {"with initialize in it", McpHead(), "[" + asking("initialize") + "]", 400, -32000, PostKind::modern},
  };
  Judge judge;
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Judged judged = judge(row.head, row.text);
    CHECK(judged.status == row.status);
    CHECK(judged.code == row.code);
    CHECK(judged.kind == row.kind);
  }
  CHECK(judge(McpHead(), asking("ping")).id == "7");
}
