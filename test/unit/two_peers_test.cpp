// Several clients of one server, each request with a stream of its own, as a transport over HTTP would have
// them.
#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "connection.hpp"
#include "mcp/tasks.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// Keeps what comes, and sees to the order of it: notifications, one reply, the end.
class Messages : public Stream {
 public:
  bool notify(std::string message, Delivery /*delivery*/) override {
    CHECK_FALSE(replied_);
    CHECK_FALSE(over_);
    messages_.push_back(ordered_json::parse(message));
    return true;
  }
  void reply(RpcReply reply) override {
    notify(std::move(reply.text), Delivery::must);
    replied_ = true;
    error_ = reply.error;
  }
  void end() override {
    CHECK_FALSE(over_);
    over_ = true;
  }

  [[nodiscard]] std::vector<ordered_json> take() { return std::exchange(messages_, {}); }
  [[nodiscard]] bool is_over() const { return over_; }
  [[nodiscard]] int error() const { return error_; }  ///< of the reply

 private:
  std::vector<ordered_json> messages_;
  int error_ = 0;
  bool replied_ = false;
  bool over_ = false;
};

/// The client's end of a stream.
class Answers {
 public:
  [[nodiscard]] const std::shared_ptr<Messages>& stream() const { return messages_; }
  [[nodiscard]] std::vector<ordered_json> take() const { return messages_->take(); }
  [[nodiscard]] bool is_over() const { return messages_->is_over(); }
  /// Nobody can send by it any more.
  [[nodiscard]] bool is_let_go() const { return messages_.use_count() == 1; }

 private:
  std::shared_ptr<Messages> messages_ = std::make_shared<Messages>();
};

/// Each text that it posts is answered by a stream of its own; `unasked` is beside them.
class PostingClient {
 public:
  PostingClient(TestServer& server, const std::string& identity)
      : server_(server),
        peer(std::make_shared<Peer>(server.core(), settings_of(identity), unasked.stream())) {}

  [[nodiscard]] Answers post(const std::string& text) const {
    Answers answers;
    peer->receive(text, answers.stream());
    server_.settle();
    return answers;
  }

  [[nodiscard]] Answers request(const std::string& method, const std::string& params = "{}",
                                const std::string& id = "1") const {
    return post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params +
                "}");
  }

  /// The only message, after which its stream is over.
  [[nodiscard]] ordered_json ask(const std::string& method, const std::string& params = "{}",
                                 const std::string& id = "1") const {
    const Answers answers = request(method, params, id);
    const auto sent = answers.take();
    REQUIRE(sent.size() == 1);
    CHECK(answers.is_over());
    return sent[0];
  }

 private:
  TestServer& server_;

 public:
  Answers unasked;
  std::shared_ptr<Peer> peer;
};

constexpr const char* kSlow = R"({"name":"slow","arguments":{"text":"%"},"_meta":{"progressToken":"t"}})";

std::string slow_call(const std::string& text) {
  std::string params = kSlow;
  return params.replace(params.find('%'), 1, text);
}

std::string task_params(const std::string& id) {
  return R"({"taskId":")" + id + "\"}";
}

std::string begin_slow_task(const PostingClient& client) {
  return client.ask(
      "tools/call",
      R"({"name":"slow","task":{},"_meta":{"progressToken":"of task"}})")["result"]["task"]["taskId"];
}

const std::string kListen = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},
    "notifications":{"taskIds":["%"]}})";

std::string listen_to(const std::string& task) {
  std::string params = kListen;
  return params.replace(params.find('%'), 1, task);
}

}  // namespace

TEST_CASE("two peers: the same id at once; each reply and its progress by the stream of its request") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  const Answers of_ann = ann.request("tools/call", slow_call("for ann"), "7");
  const ReportProgress progress_of_ann = server.slow_tool().progress;
  const Answers of_bob = bob.request("tools/call", slow_call("for bob"), "7");
  const ReportProgress progress_of_bob = server.slow_tool().progress;
  REQUIRE(server.slow_tool().entered == 2);
  CHECK(ann.ask("tools/call", R"({"name":"echo"})", "7")["error"]["code"] ==
        kInvalidRequest);  // hers is taken

  CHECK(progress_of_ann({1, "ann's", {}}) == Taken::yes);
  CHECK(progress_of_bob({2, "bob's", {}}) == Taken::yes);
  CHECK(of_ann.take().at(0)["params"]["message"] == "ann's");
  CHECK(of_bob.take().at(0)["params"]["message"] == "bob's");
  CHECK_FALSE(of_ann.is_over());

  server.open_gate();
  const auto answers = of_ann.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"] == 7);
  CHECK(answers[0]["result"]["structuredContent"]["text"] == "for ann");
  CHECK(of_bob.take().at(0)["result"]["structuredContent"]["text"] == "for bob");
  CHECK(progress_of_ann({3, "late", {}}) == Taken::never);
  CHECK(of_ann.is_over());
  CHECK(of_bob.is_over());
  CHECK(ann.unasked.take().empty());
  CHECK(bob.unasked.take().empty());
}

TEST_CASE("two peers: a request is cancelled by its own client alone, and its stream ends without a reply") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  const Answers of_ann = ann.request("tools/call", slow_call("for ann"), "7");
  const Answers of_bob = bob.request("tools/call", slow_call("for bob"), "7");
  const Answers cancel =
      ann.post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  CHECK(cancel.is_over());
  CHECK(server.slow_tool().cancelled == 1);
  CHECK(of_ann.is_over());
  CHECK(of_ann.take().empty());
  CHECK(ann.peer->in_flight().size() == 0);
  CHECK(bob.peer->in_flight().size() == 1);
  server.open_gate();
  CHECK(of_bob.take().at(0)["result"]["structuredContent"]["text"] == "for bob");
}

TEST_CASE("two peers: what one has in flight is no limit for the other") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  for (std::size_t id = 0; id < InFlight::kMax; ++id) {
    static_cast<void>(ann.request("tools/call", slow_call(""), std::to_string(id)));
  }
  CHECK(ann.ask("tools/list", "{}", "\"more\"")["error"]["code"] == kInternalError);
  CHECK(bob.ask("tools/list", "{}", "\"more\"").contains("result"));
  server.open_gate();
}

TEST_CASE("two peers: revision and name are a client's own") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  CHECK(ann.ask("initialize", versioned("2025-03-26"))["result"]["protocolVersion"] == "2025-03-26");
  CHECK(bob.peer->negotiated() == kNewestLegacy);
  // Hers has batches, with one answer by one stream; his has none.
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])";
  const Answers together = ann.post(batch);
  const auto answers = together.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].size() == 2);
  CHECK(together.is_over());
  CHECK(bob.post(batch).take().at(0)["error"]["code"] == kInvalidRequest);
}

TEST_CASE("two peers: a subscription is told by the stream of its request, to nobody else") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  const std::string task = begin_slow_task(ann);
  const Answers listens = ann.request("subscriptions/listen", listen_to(task), "7");
  const Answers other = bob.request("subscriptions/listen", listen_to("task-unknown"), "7");
  CHECK(listens.take().at(0)["params"]["notifications"]["taskIds"].at(0) == task);
  CHECK_FALSE(other.take().at(0)["params"]["notifications"].contains("taskIds"));
  server.open_gate();
  const auto told = listens.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0]["method"] == "notifications/tasks");
  CHECK(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7);
  CHECK(other.take().empty());
  CHECK(bob.unasked.take().empty());

  ann.peer->close(false);
  server.settle();
  CHECK(listens.is_let_go());
  CHECK(ann.unasked.is_let_go());
  CHECK_FALSE(other.is_let_go());
}

TEST_CASE("two peers: what is told of a task after the reply goes to its own client, beside all requests") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  const std::string task = begin_slow_task(ann);
  const ReportProgress progress = server.slow_tool().progress;
  CHECK(progress({1, "goes on", {}}) == Taken::yes);
  const auto told = ann.unasked.take();
  REQUIRE(told.size() == 1);
  CHECK(told[0]["params"]["progressToken"] == "of task");
  CHECK(told[0]["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] == task);
  server.open_gate();
  CHECK(ann.unasked.take().at(0)["method"] == "notifications/tasks/status");
  CHECK(bob.unasked.take().empty());
}

TEST_CASE("two peers: one that goes away ends its exchanges, and not its tasks") {
  TestServer server;
  const PostingClient bob(server, "bob");
  std::string task;
  {
    const PostingClient ann(server, "ann");
    task = begin_slow_task(ann);
    const ReportProgress of_task = server.slow_tool().progress;
    const Answers call = ann.request("tools/call", slow_call("for ann"), "7");
    const ReportProgress of_call = server.slow_tool().progress;
    const Answers of_bob = bob.request("tools/call", slow_call("for bob"), "7");
    ann.peer->close(true);
    server.settle();
    CHECK(server.slow_tool().cancelled == 1);  // the call; neither the task nor the other peer's call
    CHECK(call.is_let_go());
    CHECK(call.take().empty());
    CHECK(of_call({1, "late", {}}) == Taken::never);
    CHECK(of_task({1, "late", {}}) == Taken::never);
    CHECK(ann.post(R"({"jsonrpc":"2.0","id":8,"method":"ping"})").take().empty());
    CHECK(ann.unasked.is_let_go());
    CHECK(bob.ask("tasks/get", task_params(task), "8")["result"]["status"] == "working");
    server.open_gate();
    CHECK(of_bob.take().at(0).contains("result"));
  }
  CHECK(bob.ask("tasks/result", task_params(task))["result"]["structuredContent"]["text"] == "none");
  const PostingClient again(server, "ann");  // after a broken connection
  CHECK(again.ask("tasks/list")["result"]["tasks"].at(0)["taskId"] == task);
}

TEST_CASE("two peers: a list of tasks has those of its client; who knows an id may have the task") {
  TestServer server;
  const PostingClient ann(server, "ann");
  const PostingClient bob(server, "bob");
  const std::string task = begin_slow_task(ann);
  CHECK(ann.ask("tasks/list")["result"]["tasks"].size() == 1);
  CHECK(bob.ask("tasks/list")["result"]["tasks"].empty());
  CHECK(bob.ask("tasks/get", task_params(task))["result"]["status"] == "working");
  CHECK(bob.ask("tasks/list")["result"]["tasks"].size() == 1);
  server.open_gate();
}

TEST_CASE("two peers: a request without a session is a peer of its own, and ends with its stream") {
  TestServer server;
  const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" +
                           claim(R"(,"name":"slow","arguments":{})") + "}";
  const Answers first;
  const Answers second;
  const auto hung_up = std::make_shared<Peer>(server.core(), settings_of("first"), Answers().stream());
  const auto stays = std::make_shared<Peer>(server.core(), settings_of("second"), Answers().stream());
  hung_up->receive(call, first.stream());
  stays->receive(call, second.stream());
  server.settle();
  REQUIRE(server.slow_tool().entered == 2);
  hung_up->close(true);
  server.settle();
  CHECK(server.slow_tool().cancelled == 1);
  CHECK(first.is_let_go());
  server.open_gate();
  CHECK(first.take().empty());
  CHECK(second.take().at(0)["result"]["resultType"] == "complete");
  CHECK(second.is_over());
}

TEST_CASE("peers: the transport is told a reply's error") {
  TestServer server;
  const PostingClient client(server, "one");
  CHECK(client.request("ping").stream()->error() == 0);
  CHECK(client.request("no/such").stream()->error() == kMethodNotFound);
  CHECK(client.request("tools/call", R"({"name":"none"})").stream()->error() == kInvalidParams);
  CHECK(client.post("{").stream()->error() == kParseError);
}

TEST_CASE("peers: a peer that is given up gets no reply, and what it began is taken back") {
  TestServer server;
  const PostingClient client(server, "one");
  const Answers answers = client.request("tools/call", slow_call("x"));
  REQUIRE(server.slow_tool().entered == 1);
  client.peer->give_up();
  server.settle();
  CHECK(server.slow_tool().cancelled == 1);
  CHECK(answers.take().empty());
  CHECK(answers.is_over());
  CHECK(client.peer->in_flight().size() == 0);
}

TEST_CASE("peers: one that may only look is shown the tools that read, and may call no other") {
  TestServer server;
  PeerSettings settings;
  settings.identity = "one";
  settings.only_looks = true;
  const Answers answers;
  const auto peer = std::make_shared<Peer>(
      server.core(), std::make_shared<const PeerSettings>(std::move(settings)), answers.stream());
  const auto ask = [&](const std::string& method, const std::string& params) {
    const Answers asked;
    peer->receive(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}",
                  asked.stream());
    server.settle();
    return asked.take().at(0);
  };
  const ordered_json tools = ask("tools/list", "{}")["result"]["tools"];
  REQUIRE(tools.size() == 1);
  CHECK(tools[0]["name"] == "echo");
  CHECK(ask("tools/call", R"({"name":"echo","arguments":{"text":"x"}})").contains("result"));
  CHECK(ask("tools/call", R"({"name":"stop"})")["error"]["code"] == kInvalidParams);
  CHECK(ask("tasks/cancel", task_params("x"))["error"]["code"] == kInvalidParams);
}
