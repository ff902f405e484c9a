// The life of requests: side by side, cancelled, with progress, in batches, closed.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "connection.hpp"

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
  CHECK(progress({2, "", SeenTotal{3, 10}}));
  CHECK(connection.take() ==
        std::vector<ordered_json>{ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":1.0,"message":"one"}})"),
                                  ordered_json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress",
                                     "params":{"progressToken":5,"progress":2.0,"_meta":{"terminally-mcp/seen":{"done":3.0,"total":10.0}}}})")});
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
  std::string long_batch = "[0";
  for (int more = 1; more < 1'000; ++more) {
    long_batch += ",0";
  }
  connection.line(long_batch + "]");
  CHECK(connection.take().at(0).size() == 1'000);
  connection.line(long_batch + ",0]");
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
