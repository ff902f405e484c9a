// What a request asks its client: a server with one method more, whose result is the client's answer.
#include "mcp/asks.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/spawned.hpp"
#include "connection.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

using nlohmann::json;

Clock::time_point answered_by = Clock::time_point::max();  // of the test that runs

Awaitable<ordered_json> ask_name(Peer& peer, ExchangePtr exchange) {
  ordered_json params;
  params["message"] = "What is your name?";
  const json answer =
      co_await peer.asks().ask(std::move(exchange), "elicitation/create", std::move(params), answered_by);
  ordered_json result;
  result["answer"] = answer;
  co_return result;
}

constexpr Method kAskName = {.name = "test/ask", .in_legacy = true, .in_modern = true, .answer = &ask_name};

const Method& find_with_ask(std::string_view name, Revision revision) {
  return name == kAskName.name ? kAskName : find_method(name, revision);
}

class ToldStream : public Stream {
 public:
  bool notify(std::string message, Delivery delivery) override {
    CHECK(delivery == Delivery::must);
    told_.push_back(ordered_json::parse(message));
    return true;
  }
  void reply(RpcReply reply) override { told_.push_back(ordered_json::parse(reply.text)); }
  void end() override {}

  std::vector<ordered_json> take() { return std::exchange(told_, {}); }

 private:
  std::vector<ordered_json> told_;
};

/// One client, which has a stream for its requests and another one for its answers.
struct AskScene {
  AskScene() {
    answered_by = Clock::now() + std::chrono::hours(1);
    Core core = *server.core();
    core.find_method = &find_with_ask;
    peer = std::make_shared<Peer>(std::make_shared<const Core>(core), settings_of("test"), nullptr);
    initialize(R"({"elicitation":{}})");
  }

  void initialize(const std::string& capabilities) {
    line(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":)" +
            capabilities + "}}",
        asked);
    CHECK(reply().contains("result"));
  }

  void line(const std::string& text, const std::shared_ptr<ToldStream>& stream) {
    peer->receive(text, stream);
    server.settle();
  }
  /// A request that asks; its question.
  ordered_json ask(const std::string& id = "1", const std::string& params = "{}") {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"test/ask","params":)" + params + "}", asked);
    const auto told = asked->take();
    REQUIRE(told.size() == 1);
    return told[0];
  }
  void answer(const ordered_json& question, const std::string& what) {
    line(R"({"jsonrpc":"2.0","id":)" + question["id"].dump() + "," + what + "}", answered);
    CHECK(answered->take().empty());
  }
  ordered_json reply() {
    const auto told = asked->take();
    REQUIRE(told.size() == 1);
    return told[0];
  }
  std::string failure() { return reply()["error"]["message"]; }

  TestServer server;
  std::shared_ptr<Peer> peer;
  std::shared_ptr<ToldStream> asked = std::make_shared<ToldStream>();
  std::shared_ptr<ToldStream> answered = std::make_shared<ToldStream>();
};

}  // namespace

TEST_CASE("asks: a request asks by its own stream, and goes on with the answer") {
  AskScene scene;
  const ordered_json first = scene.ask("1");
  const ordered_json second = scene.ask("\"two\"");
  CHECK(first["jsonrpc"] == "2.0");
  CHECK(first["method"] == "elicitation/create");
  CHECK(first["params"]["message"] == "What is your name?");
  CHECK(first["id"] != second["id"]);
  scene.answer(second, R"("result":{"action":"accept"})");
  const ordered_json replied = scene.reply();
  CHECK(replied["id"] == "two");
  CHECK(replied["result"]["answer"]["action"] == "accept");
  scene.answer(first, R"("result":{"action":"decline"})");
  CHECK(scene.reply()["result"]["answer"]["action"] == "decline");
  CHECK(scene.peer->in_flight().size() == 0);
}

TEST_CASE("asks: what the client refuses, the request is told") {
  AskScene scene;
  scene.answer(scene.ask(), R"("error":{"code":-1,"message":"nobody is here"})");
  CHECK(scene.failure() == "the client refused elicitation/create: nobody is here");
  scene.answer(scene.ask(), R"("error":7)");
  CHECK(scene.failure() == "the client refused elicitation/create: it does not say why");
}

TEST_CASE("asks: what answers no question is ignored, and so is a second answer") {
  AskScene scene;
  const ordered_json question = scene.ask();
  ordered_json other = question;
  for (const char* id : {"\"ask-99\"", "1", "null", "1.5", "{}"}) {
    other["id"] = ordered_json::parse(id);
    scene.answer(other, R"("result":{"wrong":true})");
  }
  scene.answer(question, R"("result":1,"result":2)");  // nobody can tell which
  CHECK(scene.asked->take().empty());
  scene.line("[" + ordered_json{{"id", question["id"]}, {"result", "first"}}.dump() + "]", scene.answered);
  CHECK(scene.answered->take().size() == 1);  // this revision has no batches
  scene.peer->receive(R"({"id":)" + question["id"].dump() + R"(,"result":"first"})", scene.answered);
  scene.answer(question, R"("result":"second")");
  CHECK(scene.reply()["result"]["answer"] == "first");
  CHECK(scene.asked->take().empty());
}

TEST_CASE("asks: a request that is cancelled asks nothing any more") {
  AskScene scene;
  const ordered_json question = scene.ask();
  scene.line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", scene.asked);
  CHECK(scene.peer->in_flight().size() == 0);
  scene.answer(question, R"("result":{})");
  CHECK(scene.asked->take().empty());
  scene.answer(scene.ask(), R"("result":{})");
  CHECK(scene.reply().contains("result"));
}

TEST_CASE("asks: a client that is gone is not waited for") {
  AskScene scene;
  const ordered_json question = scene.ask();
  scene.peer->close(false);
  scene.server.settle();
  CHECK(scene.peer->in_flight().size() == 0);
  scene.answer(question, R"("result":{})");
  CHECK(scene.asked->take().empty());
}

TEST_CASE("asks: an answer is waited for until then, and the client is told when no longer") {
  AskScene scene;
  answered_by = Clock::now();
  const ordered_json late = [&scene] {
    scene.line(R"({"jsonrpc":"2.0","id":1,"method":"test/ask"})", scene.asked);
    auto told = scene.asked->take();
    const auto give_up = Clock::now() + std::chrono::seconds(20);
    while (told.size() < 3 && Clock::now() < give_up) {
      scene.server.settle();
      for (ordered_json& one : scene.asked->take()) {
        told.push_back(std::move(one));
      }
    }
    REQUIRE(told.size() == 3);
    CHECK(told[1]["method"] == "notifications/cancelled");
    CHECK(told[1]["params"]["requestId"] == told[0]["id"]);
    CHECK(told[2]["error"]["message"] == "the client has not answered elicitation/create in time");
    return told[0];
  }();
  scene.answer(late, R"("result":{})");
  CHECK(scene.asked->take().empty());
}

TEST_CASE("asks: a client has a hundred questions to answer at most") {
  AskScene scene;
  std::vector<ordered_json> questions;
  questions.reserve(Asks::kMost);
  for (std::size_t id = 0; id < Asks::kMost; ++id) {
    questions.push_back(scene.ask(std::to_string(id)));
  }
  CHECK(scene.ask("\"more\"")["error"]["message"] == "the client has 100 questions to answer already");
  scene.line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})", scene.asked);
  scene.answer(questions[8], R"("result":{})");
  CHECK(scene.reply()["id"] == 8);
  CHECK(scene.ask("\"x\"").contains("method"));
  CHECK(scene.ask("\"y\"").contains("method"));
  CHECK(scene.ask("\"z\"").contains("error"));
}

TEST_CASE("asks: a modern request asks by its result alone") {
  AskScene scene;
  const ordered_json refused = scene.ask("1", claim());
  CHECK(refused["error"]["message"] == "elicitation/create cannot be asked on behalf of a modern request");
}

TEST_CASE("asks: a client is asked nothing that it has not said it answers") {
  AskScene scene;
  for (const char* capabilities : {"{}", "null", "[]", R"({"sampling":{},"roots":{}})"}) {
    CAPTURE(capabilities);
    scene.initialize(capabilities);
    CHECK(scene.ask()["error"]["message"] == "the client has not said that it answers elicitation/create");
  }
}
