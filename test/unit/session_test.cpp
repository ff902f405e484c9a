// The life of requests: side by side, cancelled, with progress, in batches, closed.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "connection.hpp"
#include "json/json_rpc.hpp"

using namespace terminally;
using namespace terminally::test;

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
  CHECK(connection.peer().in_flight().size() == 0);
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
  CHECK(connection.peer().in_flight().size() == 2);
  connection.cancel("8");
  CHECK(connection.slow_tool().cancelled == 1);
  CHECK(connection.peer().in_flight().size() == 1);
  connection.cancel("7");
  CHECK(connection.slow_tool().cancelled == 2);
  CHECK(progress({1, "late", {}}) == Taken::never);
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
  CHECK(progress({1, "one", {}}) == Taken::yes);
  CHECK(progress({1, "again", {}}) == Taken::later);
  CHECK(progress({0.5, "back", {}}) == Taken::later);
  connection.full = true;
  CHECK(progress({2, "dropped", {}}) == Taken::later);
  connection.full = false;
  CHECK(progress({2, "", ProgressCount{3, 10}}) == Taken::yes);
  CHECK(connection.take() ==
        std::vector<ordered_json>{ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":1.0,"message":"one"}})"),
                                  ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":2.0,"_meta":{"terminally-mcp/seen":{"done":3.0,"total":10.0}}}})")});
  connection.open_gate();
  CHECK(connection.take().size() == 1);
  CHECK(progress({3, "late", {}}) == Taken::never);
  CHECK(connection.take().empty());
}

TEST_CASE("progress: none without a token, no message before 2025-03-26") {
  Connection connection;
  connection.ask("initialize", versioned("2024-11-05"));
  connection.start("1");
  CHECK_FALSE(connection.slow_tool().progress);
  connection.start("2", "slow", R"({"progressToken":"t"})");
  CHECK(connection.slow_tool().progress({1, "one", {}}) == Taken::yes);
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
  CHECK(answers[0].size() == 2);  // an error must have an id there: of 7 nothing can be said
  connection.line(R"([{"jsonrpc":"2.0","method":"x"}])");
  connection.line(R"([{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow"}}])");
  connection.cancel("3");
  CHECK(connection.take().empty());
  connection.line("[]");
  CHECK(connection.take().empty());
  std::string long_batch;
  for (int id = 0; id < 1'000; ++id) {
    long_batch +=
        (id == 0 ? R"([{"id":)" : R"(,{"id":)") + std::to_string(id) + R"(,"jsonrpc":"2.0","method":"ping"})";
  }
  connection.line(long_batch + "]");
  CHECK(connection.take().at(0).size() == 1'000);
  connection.line(long_batch + R"(,{"id":"one more","jsonrpc":"2.0","method":"ping"}])");
  const auto refused = connection.take();
  REQUIRE(refused.size() == 1'001);  // one by one: no error without an id in this revision
  CHECK(refused[1'000]["id"] == "one more");
  CHECK(refused[1'000]["error"]["code"] == kInvalidRequest);
}

TEST_CASE("too many requests at once are refused, each with its id") {
  Connection connection;
  CHECK(InFlight::kMax == 1'000);  // as doc/limits.md says
  for (std::size_t id = 0; id < InFlight::kMax; ++id) {
    connection.start(std::to_string(id));
  }
  CHECK(connection.ask("tools/list", "{}", "\"one more\"")["error"]["code"] == kInternalError);
  // P11: what ends things, and a ping, still gets through.
  CHECK(connection.ask("ping", "{}", "\"p\"").contains("result"));
  CHECK(connection.ask("tasks/cancel", R"({"taskId":"x"})", "\"t\"")["error"]["code"] == kInvalidParams);
  CHECK(connection.ask("tools/call", R"({"name":"stop"})", "\"s\"").contains("result"));
  CHECK(connection.ask("tools/call", R"({"name":"echo"})", "\"e\"")["error"]["code"] == kInternalError);
  connection.open_gate();
  CHECK(connection.take().size() == InFlight::kMax);
}

TEST_CASE("close: nothing is sent any more; calls are cancelled only when asked to") {
  for (const bool stop_calls : {false, true}) {
    Connection connection;
    connection.start("1", "slow", R"({"progressToken":"t"})");
    const ReportProgress progress = connection.slow_tool().progress;
    connection.peer().close(stop_calls);
    connection.settle();
    CHECK(connection.slow_tool().cancelled == (stop_calls ? 1 : 0));
    CHECK(progress({1, "late", {}}) == Taken::never);
    connection.open_gate();
    connection.line(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
    CHECK(connection.take().empty());
    CHECK(connection.peer().in_flight().size() == 0);
  }
  Connection connection;
  connection.line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","task":{}}})");
  REQUIRE(connection.take().size() == 1);
  connection.peer().close(false);
  connection.open_gate();
  CHECK(connection.take().empty());  // not that the task has ended either
}

TEST_CASE("P11: ids and tokens are integers however they are written, and come back equal") {
  Connection connection;
  for (const char* id : {"1.0", "1e3", "-0.0", "2.5e1", "9007199254740992.0"}) {
    connection.line(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})");
    const auto answers = connection.take();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0]["id"] == ordered_json::parse(id));
  }
  for (const char* id : {"1.5", "1e300", "9007199254740994.0", "true"}) {
    connection.line(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})");
    CHECK_FALSE(connection.take().at(0).contains("id"));
  }
  connection.start("7.0", "slow", R"({"progressToken":1e1})");
  CHECK(connection.slow_tool().progress({1, "one", {}}) == Taken::yes);
  CHECK(connection.take().at(0)["params"]["progressToken"] == 10);
  CHECK(connection.ask("ping", "{}", "7")["error"]["code"] == kInvalidRequest);  // the same id
  connection.cancel("7");
  CHECK(connection.slow_tool().cancelled == 1);
  CHECK(connection.error_of("tools/list", R"({"_meta":{"progressToken":1.5}})") == kInvalidParams);
}

TEST_CASE("P11: where the revision has no error without an id, none is sent") {
  Connection connection;
  connection.ask("initialize", versioned("2025-06-18"));
  connection.line("{");
  connection.line(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
  connection.long_line("{}");
  connection.long_line(R"({"jsonrpc":"2.0","method":"x"})");
  connection.long_line(R"({"jsonrpc":"2.0","id":5})");
  CHECK(connection.take().empty());
  connection.long_line(R"({"jsonrpc":"2.0","id":"five","method":"tools/call"})");
  CHECK(connection.take().at(0)["id"] == "five");
  connection.line(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}])");
  const auto refused = connection.take();
  REQUIRE(refused.size() == 1);
  CHECK(refused[0]["id"] == 1);
  CHECK(refused[0]["error"]["code"] == kInvalidRequest);
  connection.ask("initialize", versioned("2025-11-25"));
  connection.line("{");
  CHECK_FALSE(connection.take().at(0).contains("id"));
}

TEST_CASE("P8: initialize and modern requests are refused in a batch, by their ids") {
  Connection connection;
  connection.ask("initialize", versioned("2025-03-26"));
  connection.line(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
      {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}},
      {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":)" +
                  claim(R"(,"notifications":{})") + "}]");
  const auto answers = connection.take();
  REQUIRE(answers.size() == 1);
  REQUIRE(answers[0].size() == 3);
  std::map<int, int> codes;
  for (const ordered_json& answer : answers[0]) {
    codes[answer["id"]] = answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
  }
  CHECK(codes == std::map<int, int>{{1, 0}, {2, kInvalidRequest}, {3, kInvalidRequest}});
  connection.line(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");  // nothing was negotiated meanwhile
  CHECK(connection.take().at(0).is_array());
}

TEST_CASE("P6: no message is over 8 MiB: results, batches, what is echoed") {
  Connection connection;
  constexpr int kCalls = 6;
  const std::string call = R"(,"method":"tools/call","params":{"name":"big","arguments":{"text":"2"}}})";
  const ordered_json too_big =
      connection.ask("tools/call", R"({"name":"big","arguments":{"text":"5"}})");  // said twice
  CHECK(too_big["error"]["code"] == kInternalError);
  for (const auto& [mebibytes, fits] : {std::pair("3.9999", true), {"4.01", false}, {"4.4", false}}) {
    const std::string text = R"({"name":"big","arguments":{"text":")" + std::string(mebibytes) + "\"}}";
    CHECK(connection.ask("tools/call", text).contains("result") == fits);
  }
  CHECK(connection.longest <= kMostMessageBytes);
  connection.ask("initialize", versioned("2025-03-26"));
  std::string batch = "[";
  for (int id = 0; id < kCalls; ++id) {
    batch +=
        (id == 0 ? R"({"jsonrpc":"2.0","id":)" : R"(,{"jsonrpc":"2.0","id":)") + std::to_string(id) + call;
  }
  connection.line(batch + "]");
  CHECK(connection.longest <= kMostMessageBytes);
  const auto answers = connection.take();
  REQUIRE(answers.at(0).size() == kCalls);
  CHECK(std::ranges::count_if(answers[0],
                              [](const ordered_json& answer) { return answer.contains("result"); }) == 4);
  CHECK(std::ranges::count_if(answers[0], [](const ordered_json& answer) {
          return answer.contains("error") && answer["error"]["code"] == kInternalError;
        }) == kCalls - 4);
  connection.longest = 0;
  const std::string big(100'000, 'x');
  connection.ask("resources/read", R"({"uri":")" + big + "\"}");
  connection.ask("tools/call", R"({"name":")" + big + "\"}");
  connection.ask("prompts/get", R"({"name":"build_and_fix","arguments":{"command":")" + big + "\"}}");
  connection.ask("prompts/get", R"({"name":")" + big + "\"}");
  connection.ask("tools/list", claim("", "\"" + big + "\""));
  CHECK(connection.longest < 10'000);
  connection.line(R"({"jsonrpc":"2.0","id":")" + big + R"(","method":"ping"})");
  CHECK(connection.take().empty());
}

TEST_CASE("P6: a batch keeps room for the errors of all that is still unanswered") {
  std::string sent;
  Batch batch([&sent](std::string message) { sent = std::move(message); });
  for (const char id : std::string("0123456789")) {
    batch.expect(std::string(1, id));
  }
  for (const char id : std::string("0123456789")) {
    batch.answer(std::string(1, id), '"' + std::string(kMostMessageBytes - 300, 'x') + '"');
  }
  CHECK(sent.size() <= kMostMessageBytes);
  CHECK(ordered_json::parse(sent).size() == 10);
}

TEST_CASE("D21: above 64 MiB of unfinished requests there is no room for more") {
  Connection connection;
  const std::string text(std::size_t{15} << 20U, ' ');
  for (int id = 0; id < 5; ++id) {
    CHECK(connection.peer().in_flight().has_room());
    connection.line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + text +
                    R"(,"method":"tools/call","params":{"name":"slow"}})");
  }
  CHECK_FALSE(connection.peer().in_flight().has_room());
  connection.cancel("0");
  CHECK(connection.peer().in_flight().has_room());
  connection.open_gate();
  CHECK(connection.peer().in_flight().size() == 0);
}
