// T16: the protocol, driven through an in-memory connection with tools that need no tmux.
#include "mcp/session.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tools/router.hpp"

using namespace terminally;
using nlohmann::ordered_json;
namespace asio = boost::asio;

namespace {

struct Text {
  std::string text;
};

void describe(ResultVisitor& v, const Text& result) {
  v.text("text", result.text, "Text.");
}

struct TextArgs {
  std::string text = "none";

  void describe(ArgsVisitor& v) { v.text("text", Need::optional, text, {0, 100}, "Text."); }
};

asio::awaitable<Text> echo(ToolContext /*context*/, TextArgs args) {
  co_return Text{args.text};
}

asio::awaitable<Text> fail(ToolContext /*context*/, TextArgs args) {
  if (args.text == "error") {
    throw Error(ErrorCode::not_found, "no such tab");
  }
  throw std::runtime_error("secret");
}

/// What the slow tool saw: it waits until the test lets it go on.
struct Gate {
  explicit Gate(asio::io_context& io) : timer(io, asio::steady_timer::time_point::max()) {}

  asio::steady_timer timer;
  int entered = 0;
  int cancelled = 0;
  ReportProgress progress;
};

Gate* gate = nullptr;  // of the test that runs: tools hold no state of their own

asio::awaitable<Text> slow(ToolContext context, TextArgs args) {
  ++gate->entered;
  gate->progress = context.progress;
  co_await gate->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  const bool was_cancelled =
      (co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none;
  gate->cancelled += was_cancelled ? 1 : 0;
  co_return Text{args.text};
}

/// A session and its client.
class Connection {
 public:
  Connection() : gate_(io_) {
    gate = &gate_;
    const std::vector<Tool> tools = {make_tool<&echo>("echo", "Echo.", {.read_only = true}),
                                     make_tool<&fail>("fail", "Fail.", {}),
                                     make_tool<&slow>("slow", "Wait.", {})};
    session_ = std::make_shared<Session>(
        io_.get_executor(), std::make_shared<const Router>(tools, ToolContext{}), Implementation{"test", "1"},
        [this](const std::string& message, Delivery delivery) {
          if (full && delivery == Delivery::may_drop) {
            return false;
          }
          sent_.push_back(ordered_json::parse(message));
          return true;
        });
  }

  void line(const std::string& text) {
    session_->receive(text);
    settle();
  }

  /// Everything that came since the last call.
  std::vector<ordered_json> take() { return std::exchange(sent_, {}); }

  /// The only answer to a request.
  ordered_json ask(const std::string& method, const std::string& params = "{}", const std::string& id = "1") {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}");
    const auto answers = take();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0]["id"].dump() == id);
    return answers[0];
  }

  int error_of(const std::string& method, const std::string& params) {
    const ordered_json answer = ask(method, params);
    return answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
  }

  void start(const std::string& id, const std::string& tool = "slow", const std::string& meta = "{}") {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","_meta":)" + meta + "}}");
  }

  void cancel(const std::string& id) {
    line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + "}}");
  }

  void open_gate() {
    gate_.timer.cancel();
    settle();
  }

  void settle() {
    io_.restart();
    io_.poll();
  }

  Session& session() { return *session_; }
  Gate& slow_tool() { return gate_; }
  bool full = false;  ///< the client does not read

 private:
  asio::io_context io_;
  Gate gate_;
  std::vector<ordered_json> sent_;
  std::shared_ptr<Session> session_;
};

std::string claim(const std::string& rest = "", const std::string& version = "\"2026-07-28\"") {
  return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":)" + version +
         R"(,"io.modelcontextprotocol/clientCapabilities":{}})" + rest + "}";
}

std::string versioned(const std::string& version) {
  return R"({"protocolVersion":")" + version + "\"}";
}

}  // namespace

TEST_CASE("initialize: a legacy version is answered with itself, any other with the newest legacy one") {
  Connection connection;
  for (const std::string version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const ordered_json result = connection.ask("initialize", versioned(version), "0")["result"];
    CHECK(result["protocolVersion"] == version);
    CHECK(result["serverInfo"] == ordered_json::parse(R"({"name":"test","version":"1"})"));
    CHECK(result["capabilities"] == ordered_json::parse(R"({"tools":{},"logging":{}})"));
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
  CHECK(found["capabilities"] == ordered_json::parse(R"({"tools":{}})"));
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
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "nothing"}) {
    CHECK(connection.error_of(method, claim()) == kMethodNotFound);
  }
}

TEST_CASE("methods that do not exist, levels, cursors, calls that are wrong") {
  Connection connection;
  for (const char* method : {"", "nothing", "tools", "resources/list", "prompts/list", "tasks/list"}) {
    CHECK(connection.error_of(method, "{}") == kMethodNotFound);
  }
  CHECK(connection.ask("logging/setLevel", R"({"level":"warning"})")["result"] == ordered_json::object());
  CHECK(connection.error_of("logging/setLevel", R"({"level":"loud"})") == kInvalidParams);
  CHECK(connection.error_of("logging/setLevel", "{}") == kInvalidParams);
  CHECK(connection.error_of("tools/list", R"({"cursor":"2"})") == kInvalidParams);
  CHECK(connection.error_of("tools/list", R"({"cursor":null})") == 0);
  for (const char* params :
       {"{}", R"({"name":7})", R"({"name":"nothing"})", R"({"name":"echo","arguments":[]})",
        R"({"name":"echo","arguments":"x"})", R"({"name":"echo","_meta":{"progressToken":1.5}})"}) {
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
  CHECK(wrong["content"][0]["text"] == "\"txt\": unknown argument; allowed: text");
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

TEST_CASE("requests are served side by side, before initialize too") {
  Connection connection;
  connection.start("1");
  connection.start("\"1\"");  // another id
  CHECK(connection.slow_tool().entered == 2);
  CHECK(connection.take().empty());
  CHECK(connection.ask("ping", "{}", "2")["result"] == ordered_json::object());
  CHECK(connection.ask("tools/call", R"({"name":"echo"})", "3")["result"]["structuredContent"]["text"] ==
        "none");
  connection.open_gate();
  CHECK(connection.take().size() == 2);
  CHECK(connection.session().in_flight() == 0);
}

TEST_CASE("an id in use is refused, and free again after its reply") {
  Connection connection;
  connection.start("7");
  CHECK(connection.ask("ping", "{}", "7")["error"]["code"] == kInvalidRequest);
  connection.open_gate();
  CHECK(connection.take().size() == 1);
  CHECK(connection.ask("ping", "{}", "7").contains("result"));
}

TEST_CASE("a cancelled request stops, has no reply, and reports nothing more") {
  Connection connection;
  connection.start("8");
  connection.start("7", "slow", R"({"progressToken":"t"})");
  const ReportProgress progress = connection.slow_tool().progress;
  REQUIRE(progress);
  connection.cancel("\"7\"");  // not the id
  CHECK(connection.session().in_flight() == 2);
  connection.cancel("8");
  CHECK(connection.slow_tool().cancelled == 1);
  CHECK(connection.session().in_flight() == 1);
  connection.cancel("7");
  CHECK(connection.slow_tool().cancelled == 2);
  CHECK_FALSE(progress({1, "late", {}}));
  CHECK(connection.take().empty());
  CHECK(connection.ask("ping").contains("result"));
}

TEST_CASE("cancelling what is over or never was changes nothing") {
  Connection connection;
  connection.ask("ping", "{}", "7");
  for (const char* id : {"7", "99", "\"x\"", "null", "{}", "1.5"}) {
    connection.cancel(id);
  }
  connection.line(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  connection.line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  connection.line(R"({"jsonrpc":"2.0","method":"notifications/unknown","params":{"x":1}})");
  connection.line(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  CHECK(connection.take().empty());
}

TEST_CASE("progress rises strictly, echoes its token, and ends with the reply") {
  Connection connection;
  connection.start("1", "slow", R"({"progressToken":5})");
  const ReportProgress progress = connection.slow_tool().progress;
  REQUIRE(progress);
  CHECK(progress({1, "one", {}}));
  CHECK_FALSE(progress({1, "again", {}}));
  CHECK_FALSE(progress({0.5, "back", {}}));
  connection.full = true;
  CHECK_FALSE(progress({2, "dropped", {}}));
  connection.full = false;
  CHECK(progress({2, "", 10.0}));
  CHECK(connection.take() ==
        std::vector<ordered_json>{ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":1.0,"message":"one"}})"),
                                  ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":2.0,"total":10.0}})")});
  connection.open_gate();
  CHECK(connection.take().size() == 1);
  CHECK_FALSE(progress({3, "late", {}}));
  CHECK(connection.take().empty());
}

TEST_CASE("progress: none without a token, no message before 2025-03-26") {
  Connection connection;
  connection.ask("initialize", versioned("2024-11-05"));
  connection.start("1");
  CHECK_FALSE(connection.slow_tool().progress);
  connection.start("2", "slow", R"({"progressToken":"t"})");
  CHECK(connection.slow_tool().progress({1, "one", {}}));
  CHECK(connection.take().at(0)["params"] == ordered_json::parse(R"({"progressToken":"t","progress":1.0})"));
}

TEST_CASE("a batch is answered whole where the revision knows batches, else refused") {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7,
      {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}])";
  Connection connection;
  connection.line(batch);
  CHECK(connection.take().at(0)["error"]["code"] == kInvalidRequest);
  connection.ask("initialize", versioned("2025-03-26"));
  connection.line(batch);
  CHECK(connection.take().empty());
  connection.open_gate();
  const auto answers = connection.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].size() == 3);
  connection.line(R"([{"jsonrpc":"2.0","method":"x"}])");
  connection.line(R"([{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow"}}])");
  connection.cancel("3");
  CHECK(connection.take().empty());
  connection.line("[]");
  CHECK(connection.take().at(0)["error"]["code"] == kInvalidRequest);
}

TEST_CASE("too many requests at once are refused, each with its id") {
  Connection connection;
  for (std::size_t id = 0; id < InFlight::kMax; ++id) {
    connection.start(std::to_string(id));
  }
  CHECK(connection.ask("ping", "{}", "\"one more\"")["error"]["code"] == kInternalError);
  connection.open_gate();
  CHECK(connection.take().size() == InFlight::kMax);
}

TEST_CASE("close: nothing is sent any more; calls are cancelled only when asked to") {
  for (const bool stop_calls : {false, true}) {
    Connection connection;
    connection.start("1", "slow", R"({"progressToken":"t"})");
    const ReportProgress progress = connection.slow_tool().progress;
    connection.session().close(stop_calls);
    connection.settle();
    CHECK(connection.slow_tool().cancelled == (stop_calls ? 1 : 0));
    CHECK_FALSE(progress({1, "late", {}}));
    connection.open_gate();
    connection.line(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
    CHECK(connection.take().empty());
    CHECK(connection.session().in_flight() == 0);
  }
}
