// What watchers of a core are told of requests that are over, and who is in its register.
#include "calls/ended_call.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "connection.hpp"
#include "mcp/core.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// A client whose calls are watched, each as "METHOD TOOL OUTCOME ERROR CLIENT".
struct WatchedClient : Connection {
  WatchedClient() {
    peer().core().peers->watch([this](const EndedCall& call) {
      CHECK(call.by.identity == "test");
      took = call.took;
      params = call.params.dump();
      ended.push_back(std::string(call.method) + "|" + std::string(call.tool) + "|" +
                      std::string(to_string(call.outcome)) + "|" + call.error + "|" +
                      std::string(call.client));
    });
  }

  std::string last() {
    REQUIRE_FALSE(ended.empty());
    return ended.back();
  }

  std::vector<std::string> ended;
  std::string params;
  Clock::duration took{0};
};

}  // namespace

TEST_CASE("ended calls: who asked for what, and how it ended") {
  WatchedClient client;
  client.ask("initialize", R"({"protocolVersion":"2025-11-25","clientInfo":{"name":"one","version":"2"}})");
  CHECK(client.last() == "initialize||ok||one 2");
  client.ask("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})");
  CHECK(client.last() == "tools/call|echo|ok||one 2");
  CHECK(client.params == R"({"arguments":{"text":"hi"},"name":"echo"})");
  client.ask("tools/call", R"({"name":"fail","arguments":{"text":"error"}})");
  CHECK(client.last() == "tools/call|fail|tool_error|not_found|one 2");
  client.ask("tools/call", R"({"name":"fail"})");
  CHECK(client.last() == "tools/call|fail|protocol_error|-32603|one 2");
  client.ask("tools/call", R"({"name":"unknown"})");
  CHECK(client.last() == "tools/call||protocol_error|-32602|one 2");
  client.ask("no/method", R"({"name":"echo"})");
  CHECK(client.last() == "||protocol_error|-32601|one 2");
  client.ask("tools/list", claim(R"(,"x":1)"));
  CHECK(client.last() == "tools/list||ok||one 2");
  client.ask(
      "tools/list",
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"two","version":"3"}}})");
  CHECK(client.last() == "tools/list||ok||two 3");
  CHECK(client.ended.size() == 8);
}

TEST_CASE("ended calls: how long one took") {
  WatchedClient client;
  client.start("1");
  const auto begun = Clock::now();
  while (Clock::now() - begun < Milliseconds(20)) {
    client.settle();
  }
  client.open_gate();
  CHECK(client.last() == "tools/call|slow|ok||");
  CHECK(client.took >= Milliseconds(20));
}

TEST_CASE("ended calls: one that is cancelled, and one whose id is in use") {
  WatchedClient client;
  client.start("1");
  CHECK(client.ended.empty());
  client.start("1");
  CHECK(client.last() == "|slow|protocol_error|-32600|");
  client.cancel("1");
  CHECK(client.last() == "tools/call|slow|cancelled||");
  client.start("2");
  client.peer().refuse_unanswered("the end");
  CHECK(client.ended.size() == 2);
  client.open_gate();
  CHECK(client.last() == "tools/call|slow|cancelled||");
  CHECK(client.ended.size() == 3);
}

TEST_CASE("ended calls: a watcher that fails fails no call") {
  Connection client;
  client.peer().core().peers->watch([](const EndedCall& /*call*/) { throw std::runtime_error("full"); });
  CHECK(client.ask("ping")["result"] == ordered_json::object());
  CHECK(client.ask("ping")["result"] == ordered_json::object());
}

TEST_CASE("peer register: has the peers that are there, by the names that they gave last") {
  TestServer server;
  const auto& peers = server.core()->peers;
  const auto one = std::make_shared<Peer>(server.core(), settings_of("stdio"), nullptr);
  for (int i = 0; i < 1'000; ++i) {
    const auto other = std::make_shared<Peer>(server.core(), settings_of("http exec"), nullptr);
    CHECK(peers->all().size() == 2);
  }
  REQUIRE(peers->all().size() == 1);
  one->agree_on(Revision::v2025_06_18, "claude-code 2.1");
  CHECK(peers->all().front()->client == "claude-code 2.1");
  CHECK(peers->all().front()->settings->identity == "stdio");
}
