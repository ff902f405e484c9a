// MCP over HTTP without a socket: requests in, answers and pieces of streams out.
#include "door/mcp_service.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "connection.hpp"
#include "door/event_reader.hpp"
#include "http/tokens.hpp"
#include "in_time.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

const std::string kSlowParams =
    R"({"name":"slow","arguments":{"text":"done"},"_meta":{"progressToken":"t"}})";

/// One that is good: the sessions of others are closed.
std::string made_token(const std::filesystem::path& directory, Role role = Role::exec) {
  Tokens tokens(directory);
  return tokens.bearer_of(tokens.token_of(role)).value().credential;
}

/// The params of a modern call of the slow tool.
std::string slow_modern() {
  return claim(R"(,"name":"slow","arguments":{"text":"done"})");
}

struct DoorScene {
  DoorScene()
      : service(directory.path(), [this](const std::string& name) {
          if (name == "bad name") {
            throw Error(ErrorCode::invalid_argument, "no instance can have that name");
          }
          return ServedInstance{server.core(), settings_of("view"), settings_of("exec"), ends_with_process};
        }) {}

  template <class T>
  T run(Awaitable<T> work) {
    const Spawned<T> spawned(server.core()->executor, std::move(work));
    wait_for(spawned);
    REQUIRE(spawned.is_over());
    return spawned.result();
  }

  void run_to_end(Awaitable<void> work) {
    const Spawned<> spawned(server.core()->executor, std::move(work));
    wait_for(spawned);
    REQUIRE(spawned.is_over());
  }

  void wait_for(const Spawned<>& work, Clock::time_point by = Clock::now() + std::chrono::seconds(20)) {
    server.settle();
    while (!work.is_over() && Clock::now() < by) {
      server.wait();
    }
  }

  /// A call of the slow tool by a client that takes JSON alone.
  ServiceRequest json_call(const std::string& id = "1") const {
    ServiceRequest sent = request("POST", body("tools/call", kSlowParams, id));
    sent.headers["accept"] = "application/json";
    return sent;
  }
  ServiceRequest modern_json_call() const {
    ServiceRequest sent = modern("tools/call", slow_modern());
    sent.headers["accept"] = "application/json";
    return sent;
  }

  bool has_measure(const std::string& line) {
    ServiceRequest asked = request("GET");
    asked.path = "/metrics";
    return whole(std::move(asked)).body.find("\n" + line + "\n") != std::string::npos;
  }

  void tell_progress() {
    Progress step;
    step.progress = 1;
    step.message = "half";
    server.slow_tool().progress(step);
  }

  /// As one client with one token sends it; a client of the session where it has one.
  ServiceRequest request(const std::string& method, const std::string& body = "") const {
    ServiceRequest made;
    made.method = method;
    made.path = path;
    made.body = body;
    made.bearer = Bearer{Role::exec, credential};
    made.headers["content-type"] = "application/json";
    made.headers["accept"] = "application/json, text/event-stream";
    if (!session.empty()) {
      made.headers["mcp-session-id"] = session;
    }
    return made;
  }

  static std::string body(const std::string& method, const std::string& params, const std::string& id = "1") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
  }

  ServiceRequest modern(const std::string& method, const std::string& params) const {
    ServiceRequest made = request("POST", body(method, params));
    made.headers["mcp-protocol-version"] = "2026-07-28";
    made.headers["mcp-method"] = method;
    made.headers["mcp-name"] = "slow";
    return made;
  }

  ServiceAnswer answer(ServiceRequest sent) { return run(service.answer(std::move(sent))); }
  /// The whole answer, however late it comes.
  Response whole(ServiceRequest sent) {
    ServiceAnswer given = answer(std::move(sent));
    return given.later ? run(given.later()) : std::move(given.response);
  }
  Response post(const std::string& method, const std::string& params = "{}") {
    return whole(request("POST", body(method, params)));
  }

  void initialize(const std::string& version = "2025-11-25") {
    const Response begun =
        post("initialize", R"({"protocolVersion":")" + version + R"(","capabilities":{}})");
    REQUIRE(begun.status == 200);
    REQUIRE(begun.headers.size() == 1);
    CHECK(begun.headers[0].first == "Mcp-Session-Id");
    session = begun.headers[0].second;
  }

  TempDir directory;
  TestServer server;
  bool ends_with_process = false;
  McpService service;
  std::string path = "/mcp";
  std::string credential = made_token(directory.path());
  std::string session;
};

}  // namespace

TEST_CASE("http service: a legacy session from its first request to its last") {
  DoorScene scene;
  CHECK(scene.post("ping").status == 400);
  scene.initialize();
  CHECK(scene.session.size() == 64);
  const Response pong = scene.post("ping");
  CHECK(pong.status == 200);
  CHECK(pong.content_type == "application/json");
  CHECK(ordered_json::parse(pong.body)["result"] == ordered_json::object());
  CHECK(scene.post("pong").status == 200);
  const Response told =
      scene.whole(scene.request("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  CHECK(told.status == 202);
  CHECK(told.body.empty());
  CHECK(told.content_type.empty());
  const std::string own = std::exchange(scene.credential, "another token");
  CHECK(scene.post("ping").status == 404);
  CHECK(scene.whole(scene.request("DELETE")).status == 404);
  scene.credential = own;
  scene.path = "/mcp/work";
  CHECK(scene.post("ping").status == 404);
  scene.path = "/mcp";
  CHECK(scene.post("initialize", R"({"protocolVersion":"2025-11-25"})").status == 400);
  CHECK(scene.whole(scene.request("DELETE")).status == 200);
  CHECK(scene.post("ping").status == 404);
}

TEST_CASE("http service: an initialize that is refused begins no session") {
  DoorScene scene;
  const Response refused = scene.post("initialize", "{}");
  CHECK(refused.status == 200);
  CHECK(refused.headers.empty());
}

TEST_CASE("http service: a name that no instance can have") {
  DoorScene scene;
  scene.path = "/mcp/bad name";
  CHECK(scene.post("ping").status == 400);  // nothing is opened for it
  CHECK_THROWS_AS(scene.whole(scene.modern("tools/list", claim())), Error);
}

TEST_CASE("http service: a modern request leaves nothing behind") {
  DoorScene scene;
  const Response listed = scene.whole(scene.modern("tools/list", claim()));
  CHECK(listed.status == 200);
  CHECK(listed.headers.empty());
  CHECK(ordered_json::parse(listed.body)["result"]["tools"].size() == 5);
  CHECK(scene.whole(scene.modern("ping", claim())).status == 404);
  CHECK(scene.whole(scene.request("POST", DoorScene::body("tools/list", claim()))).status == 400);
}

TEST_CASE("http service: a modern client that hangs up cancels its request") {
  DoorScene scene;
  ServiceAnswer waiting = scene.answer(scene.modern("tools/call", slow_modern()));
  REQUIRE(waiting.later);
  CHECK(scene.server.slow_tool().entered == 1);
  CHECK(scene.has_measure("terminally_requests_under_way 1"));
  waiting.later = nullptr;
  scene.server.settle();
  CHECK(scene.server.slow_tool().cancelled == 1);
  CHECK(scene.has_measure("terminally_requests_under_way 0"));
}

TEST_CASE("http service: a modern client that hangs up leaves no task whose id it has not heard") {
  check_in_time([] {
    DoorScene scene;
    const auto begun = Clock::now();
    ServiceAnswer waiting = scene.answer(
        scene.modern("tools/call",
                     R"({"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}})"));
    const bool is_unheard = waiting.later != nullptr;
    waiting.later = nullptr;
    scene.server.settle();
    if (Clock::now() - begun > Milliseconds(450)) {  // the id is told after half a second
      return false;
    }
    CHECK(is_unheard);
    CHECK(scene.server.slow_tool().cancelled == 1);
    return true;
  });
}

TEST_CASE("http service: a modern answer that takes longer than a second comes as an event, without an id") {
  check_in_time([] {
    DoorScene scene;
    const auto begun = Clock::now();
    Response streamed = scene.whole(scene.modern("tools/call", slow_modern()));
    const auto took = Clock::now() - begun;
    if (took > Milliseconds(1'500)) {
      return false;
    }
    CHECK(took >= Milliseconds(1'000));
    CHECK(streamed.content_type == "text/event-stream");
    REQUIRE(streamed.source);
    scene.server.open_gate();
    const std::string piece = scene.run(streamed.source());
    CHECK(piece.starts_with("event: message\ndata: {"));
    CHECK(piece.find("done") != std::string::npos);
    CHECK(scene.run(streamed.source()).empty());
    streamed.source = nullptr;
    scene.server.settle();
    CHECK(scene.server.slow_tool().cancelled == 0);
    return true;
  });
}

TEST_CASE("http service: a client that takes JSON alone waits for it") {
  DoorScene scene;
  const ServiceAnswer waiting = scene.answer(scene.modern_json_call());
  REQUIRE(waiting.later);
  const Spawned<Response> later(scene.server.core()->executor, waiting.later());
  scene.server.settle();
  CHECK_FALSE(later.is_over());
  scene.server.open_gate();
  REQUIRE(later.is_over());
  CHECK(later.result().content_type == "application/json");
}

TEST_CASE(
    "http service: a legacy client that was cut off cancels nothing, and gets the rest when it comes back") {
  DoorScene scene;
  scene.initialize();
  Response streamed;
  {
    const ServiceAnswer waiting =
        scene.answer(scene.request("POST", DoorScene::body("tools/call", kSlowParams)));
    REQUIRE(waiting.later);
    const Spawned<Response> later(scene.server.core()->executor, waiting.later());
    scene.server.settle();
    Progress step;
    step.progress = 1;
    step.message = "half";
    scene.server.slow_tool().progress(step);
    scene.server.settle();
    REQUIRE(later.is_over());
    streamed = later.result();
  }
  REQUIRE(streamed.source);
  CHECK(scene.run(streamed.source()) == "retry: 1000\nid: 2-0\ndata: \n\n");
  const std::string half = scene.run(streamed.source());
  CHECK(half.starts_with("event: message\nid: 2-1\ndata: {"));
  streamed.source = nullptr;
  scene.server.settle();
  CHECK(scene.server.slow_tool().cancelled == 0);
  scene.server.open_gate();

  for (const char* last : {"2-0", "2-1"}) {
    CAPTURE(last);
    ServiceRequest sent = scene.request("GET");
    sent.headers["last-event-id"] = last;
    const Response resumed = scene.whole(std::move(sent));
    REQUIRE(resumed.source);
    CHECK(scene.run(resumed.source()) == "retry: 1000\nid: " + std::string(last) + "\ndata: \n\n");
    const std::string rest = scene.run(resumed.source());
    CHECK(rest.find("id: 2-2\ndata: {") != std::string::npos);
    CHECK((rest.find("half") != std::string::npos) == (std::string(last) == "2-0"));
    CHECK(scene.run(resumed.source()).empty());
  }
  for (const char* last : {"9-0", "x", "2"}) {
    ServiceRequest sent = scene.request("GET");
    sent.headers["last-event-id"] = last;
    CHECK(scene.whole(std::move(sent)).status == 400);
  }
}

TEST_CASE("http service: a later GET takes the session's stream over") {
  DoorScene scene;
  scene.initialize();
  const Response first = scene.whole(scene.request("GET"));
  REQUIRE(first.source);
  CHECK(scene.run(first.source()) == "retry: 1000\nid: 0-0\ndata: \n\n");
  const Spawned<std::string> waiting(scene.server.core()->executor, first.source());
  scene.server.settle();
  CHECK_FALSE(waiting.is_over());
  const Response second = scene.whole(scene.request("GET"));
  scene.server.settle();
  REQUIRE(waiting.is_over());
  CHECK(waiting.result().empty());
  ServiceRequest json_alone = scene.request("GET");
  json_alone.headers["accept"] = "application/json";
  CHECK(scene.whole(std::move(json_alone)).status == 406);
}

TEST_CASE("http service: the end answers who can be answered, and takes nothing more") {
  DoorScene scene;
  const auto& executor = scene.server.core()->executor;
  const ServiceAnswer modern = scene.answer(scene.modern_json_call());
  const Response listens = scene.whole(
      scene.modern("subscriptions/listen", claim(R"(,"notifications":{"resourcesListChanged":true})")));
  scene.initialize();
  const ServiceAnswer legacy = scene.answer(scene.json_call());
  REQUIRE(modern.later);
  REQUIRE(legacy.later);
  const Spawned<Response> modern_reply(executor, modern.later());
  const Spawned<Response> legacy_reply(executor, legacy.later());
  const Response own = scene.whole(scene.request("GET"));
  scene.run_to_end(scene.service.finish(Clock::now() + Milliseconds(50)));
  for (const Spawned<Response>& reply : {modern_reply, legacy_reply}) {
    scene.wait_for(reply);
    REQUIRE(reply.is_over());
    CHECK(reply.result().body.find("The server ends") != std::string::npos);
  }
  std::string heard = scene.run(listens.source());
  heard += scene.run(listens.source());
  CHECK(heard.find("\"result\"") != std::string::npos);
  static_cast<void>(scene.run(own.source()));  // the id that comes first
  CHECK(scene.run(own.source()).empty());
  CHECK(scene.post("ping").status == 503);
}

TEST_CASE("http service: the end waits for all clients at once, and not for one behind the other") {
  DoorScene scene;
  for (int client = 0; client < 3; ++client) {
    scene.initialize();
    static_cast<void>(scene.answer(scene.json_call()));
    scene.session.clear();
  }
  CHECK(scene.server.slow_tool().entered == 3);
  const Spawned<> end(scene.server.core()->executor, scene.service.finish(Clock::now()));
  for (int turn = 0; turn < 100; ++turn) {
    scene.server.settle();  // nothing is left to wait for
  }
  CHECK(end.is_over());
}

TEST_CASE(
    "http service: those of one token ask three quarters of what there is room for, and others the rest") {
  DoorScene scene;
  const auto batch_of = [](int calls) {
    std::string batch;
    for (int id = 2; id < calls + 2; ++id) {
      batch += (batch.empty() ? "[" : ",") + DoorScene::body("tools/call", kSlowParams, std::to_string(id));
    }
    return batch + "]";
  };
  std::vector<ServiceAnswer> waiting;
  for (int session = 0; session < 3; ++session) {
    scene.initialize("2025-03-26");
    waiting.push_back(scene.answer(scene.request("POST", batch_of(998))));
    REQUIRE(waiting.back().later);
    scene.session.clear();
  }
  scene.initialize("2025-03-26");
  CHECK(scene.whole(scene.request("POST", batch_of(7))).status == 503);
  const Response busy = scene.whole(scene.modern("tools/list", claim()));
  CHECK(busy.status == 200);  // one is less than seven
  scene.session.clear();
  scene.credential = made_token(scene.directory.path(), Role::view);
  scene.initialize("2025-03-26");
  waiting.push_back(scene.answer(scene.request("POST", batch_of(990))));
  CHECK(waiting.back().later);
  CHECK(scene.whole(scene.request("POST", batch_of(17))).status == 503);
  scene.server.open_gate();
  CHECK(scene.post("ping").status == 200);
  CHECK(scene.whole(scene.request("POST", batch_of(17))).status == 200);
}

TEST_CASE("http service: what is not answered yet takes so many bytes together, and of one token less") {
  Budget budget;
  constexpr std::size_t kMost = Budget::kMostBytes;
  Budget::Share first = budget.take("one", 1, kMost / 4 * 3);
  REQUIRE(first);
  CHECK_FALSE(budget.take("one", 1, 1));
  CHECK_FALSE(budget.take("two", 1, kMost / 4 + 1));
  const Budget::Share second = budget.take("two", 1, kMost / 4);
  CHECK(second);
  CHECK_FALSE(budget.take("three", 1, 1));
  CHECK(budget.take("three", 1, 0));
  CHECK(budget.take("one", 1, Budget::kReserveBytes, true));
  CHECK_FALSE(budget.take("one", 1, Budget::kReserveBytes + 1, true));
  first.reset();
  CHECK(budget.take("one", 1, kMost / 4 * 3));
}

TEST_CASE("http service: what ends others is answered where nothing else has room") {
  DoorScene scene;
  scene.initialize();
  const Bearer bearer{Role::exec, scene.credential};
  const auto all = scene.service.room_for(bearer, Budget::kMostBytes / 4 * 3);
  REQUIRE(all);
  CHECK_FALSE(scene.service.room_for(bearer, std::size_t{1} << 20U));
  CHECK(scene.service.room_for(bearer, 1'000));  // may be one of those
  CHECK(scene.post("tools/list").status == 503);
  CHECK(scene.post("ping").status == 200);
  CHECK(scene.post("tasks/cancel", R"({"taskId":"none"})").status != 503);
  scene.session.clear();
  scene.initialize();
  CHECK_FALSE(scene.session.empty());
}

TEST_CASE("http service: a session that is deleted ends all that waits for it, and cancels nothing") {
  DoorScene scene;
  scene.initialize();
  const Response own = scene.whole(scene.request("GET"));
  static_cast<void>(scene.run(own.source()));  // the id that comes first
  const ServiceAnswer first = scene.answer(scene.request("POST", DoorScene::body("tools/call", kSlowParams)));
  REQUIRE(first.later);
  scene.tell_progress();
  const Response streamed = scene.run(first.later());
  REQUIRE(streamed.source);
  static_cast<void>(scene.run(streamed.source()));
  static_cast<void>(scene.run(streamed.source()));
  const ServiceAnswer second = scene.answer(scene.json_call("2"));
  REQUIRE(second.later);
  const Spawned<Response> later(scene.server.core()->executor, second.later());
  scene.server.settle();
  CHECK(scene.whole(scene.request("DELETE")).status == 200);
  CHECK(scene.run(own.source()).empty());
  CHECK(scene.run(streamed.source()).find("This session has ended") != std::string::npos);
  CHECK(scene.run(streamed.source()).empty());
  scene.server.settle();
  REQUIRE(later.is_over());
  const Response told = later.result();
  CHECK(told.status == 200);
  CHECK(told.body.find("This session has ended") != std::string::npos);
  CHECK(scene.server.slow_tool().cancelled == 0);
  CHECK(scene.has_measure("terminally_requests_under_way 2"));  // what they take is taken still
  scene.server.open_gate();
  scene.server.settle();
  CHECK(scene.has_measure("terminally_requests_under_way 0"));
}

TEST_CASE("http service: the end cancels what ends with the process, and nothing else") {
  for (const bool ends : {false, true}) {
    CAPTURE(ends);
    DoorScene scene;
    scene.ends_with_process = ends;
    const ServiceAnswer modern = scene.answer(scene.modern_json_call());  // held: else it is a hang-up
    scene.initialize();
    static_cast<void>(scene.answer(scene.json_call()));
    REQUIRE(scene.server.slow_tool().entered == 2);
    scene.run_to_end(scene.service.finish(Clock::now()));
    scene.server.settle();
    CHECK(scene.server.slow_tool().cancelled == (ends ? 2 : 0));
  }
}

TEST_CASE("http service: the end waits for what ends by itself") {
  DoorScene scene;
  scene.initialize();
  const ServiceAnswer waiting = scene.answer(scene.json_call());
  const Spawned<Response> later(scene.server.core()->executor, waiting.later());
  const Spawned<> end(scene.server.core()->executor,
                      scene.service.finish(Clock::now() + std::chrono::seconds(60)));
  scene.server.settle();
  CHECK_FALSE(end.is_over());
  scene.server.open_gate();
  REQUIRE(later.is_over());
  CHECK(later.result().body.find("done") != std::string::npos);
}

TEST_CASE("http service: a call that its client cancels is answered by nothing") {
  DoorScene scene;
  scene.initialize();
  const ServiceAnswer waiting = scene.answer(scene.json_call("7"));
  const Spawned<Response> later(scene.server.core()->executor, waiting.later());
  scene.server.settle();
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  CHECK(scene.whole(scene.request("POST", cancel)).status == 202);
  scene.server.settle();
  REQUIRE(later.is_over());
  CHECK(later.result().status == 202);
  CHECK(scene.server.slow_tool().cancelled == 1);
}

TEST_CASE("http service: an answer within a second is JSON for who takes events, too") {
  check_in_time([] {
    DoorScene scene;
    const auto begun = Clock::now();
    const ServiceAnswer waiting = scene.answer(scene.modern("tools/call", slow_modern()));
    REQUIRE(waiting.later);
    const Spawned<Response> later(scene.server.core()->executor, waiting.later());
    scene.wait_for(later, begun + Milliseconds(700));
    scene.server.open_gate();
    if (Clock::now() - begun > Milliseconds(950)) {
      return false;
    }
    REQUIRE(later.is_over());
    CHECK(later.result().content_type == "application/json");
    return true;
  });
}

TEST_CASE("http service: a client of an older revision gets no event without a message") {
  DoorScene scene;
  scene.initialize("2025-06-18");
  const ServiceAnswer waiting =
      scene.answer(scene.request("POST", DoorScene::body("tools/call", kSlowParams)));
  REQUIRE(waiting.later);
  scene.tell_progress();
  const Response streamed = scene.run(waiting.later());
  REQUIRE(streamed.source);
  CHECK(scene.run(streamed.source()).starts_with("event: message\nid: 2-1\ndata: {"));
  const Response batch = scene.whole(scene.request("POST", "[" + DoorScene::body("ping", "{}") + "]"));
  CHECK(batch.status == 400);
}

TEST_CASE(
    "http endpoint: a thousand sessions of a token, of which the one that was idle longest makes room") {
  TestServer server;
  Endpoint endpoint(ServedInstance{server.core(), settings_of("view"), settings_of("exec"), false});
  const Bearer bearer{Role::exec, "a token"};
  CHECK(endpoint.new_session({Role::view, "t"})->peer().settings()->identity == "view");
  std::vector<HttpSessionPtr> all;
  for (std::size_t i = 0; i < Endpoint::kMostSessions; ++i) {
    all.push_back(endpoint.new_session(bearer));
    REQUIRE(all.back());
    endpoint.admit(all.back());
  }
  const Bearer other{Role::view, "another token"};
  const HttpSessionPtr others = endpoint.new_session(other);
  REQUIRE(others);
  endpoint.admit(others);
  for (const auto& one : all) {
    REQUIRE(endpoint.find(one->id(), bearer) == one);
  }
  const auto listens_to = [](const HttpSessionPtr& session) {
    return std::make_unique<EventReader>(session->find(0), EventForm(), [] {});
  };
  all[0]->note_use();
  std::vector<std::unique_ptr<EventReader>> readers;
  readers.push_back(listens_to(all[1]));
  all.push_back(endpoint.new_session(bearer));
  REQUIRE(all.back());
  endpoint.admit(all.back());
  CHECK(endpoint.find(all[0]->id(), bearer));
  CHECK(endpoint.find(all[1]->id(), bearer));
  CHECK_FALSE(endpoint.find(all[2]->id(), bearer));
  CHECK(all[2]->find(0)->has_ended());
  CHECK(endpoint.find(others->id(), other));
  for (const auto& one : all) {
    readers.push_back(listens_to(one));
  }
  CHECK_FALSE(endpoint.new_session(bearer));
  endpoint.tidy([](const std::string& credential) { return credential == "another token"; });
  CHECK_FALSE(endpoint.find(all[0]->id(), bearer));
  CHECK(all[0]->find(0)->has_ended());
  CHECK(endpoint.find(others->id(), other));
}

TEST_CASE("http session: of streams that nobody reads so many are kept, and those that are read") {
  TestServer server;
  HttpSession session(server.core(), settings_of("exec"), "a token");
  std::vector<std::shared_ptr<EventStream>> streams;
  for (std::size_t i = 0; i < HttpSession::kMostStreams + 2; ++i) {
    streams.push_back(session.new_stream());
    session.keep(streams.back());
  }
  const EventReader reader(streams[1], EventForm(), [] {});
  session.tidy();
  CHECK_FALSE(session.find(1));
  CHECK(session.find(2) == streams[1]);
  CHECK(session.find(3) == streams[2]);
  streams[10]->reply({std::string(HttpSession::kMostKeptBytes, 'x')});
  streams[20]->reply({"x"});
  session.tidy();
  CHECK(session.find(21));
  CHECK_FALSE(session.find(11));
  CHECK_FALSE(session.find(3));
  CHECK(session.find(2));
  session.close();
  CHECK(streams[0]->has_ended());  // though it was forgotten
}

TEST_CASE(
    "http session: a stream that was read to its end is kept for two minutes for a client that comes back") {
  TestServer server;
  HttpSession session(server.core(), settings_of("exec"), "a token");
  const auto answered = session.new_stream();
  const auto under_way = session.new_stream();
  for (const auto& stream : {answered, under_way}) {
    session.keep(stream);
    stream->reply({"x"});
    const EventReader reader(stream, EventForm(), [] {});
  }
  answered->end();
  session.tidy();
  CHECK(session.find(1) == answered);
  session.tidy(Clock::now() + HttpSession::kStreamKept - Milliseconds(30'000));
  CHECK(session.find(1) == answered);
  session.tidy(Clock::now() + HttpSession::kStreamKept);
  CHECK_FALSE(session.find(1));
  CHECK(session.find(2) == under_way);
}

TEST_CASE("http service: one process serves so many instances, and says where more are served") {
  DoorScene scene;
  for (int instance = 0; instance < 64; ++instance) {
    scene.path = "/mcp/i" + std::to_string(instance);
    REQUIRE(scene.whole(scene.modern("tools/list", claim())).status == 200);
  }
  scene.path = "/mcp/i64";
  try {
    static_cast<void>(scene.whole(scene.modern("tools/list", claim())));
    FAIL("a 65th instance was opened");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::busy);
    CHECK(std::string(error.what()).find("64 instances") != std::string::npos);
  }
  scene.path = "/mcp/i63";
  CHECK(scene.whole(scene.modern("tools/list", claim())).status == 200);
}

TEST_CASE("http service: a session whose requests are too large is told to wait") {
  DoorScene scene;
  scene.initialize();
  for (int i = 2; i < 7; ++i) {
    ServiceRequest large = scene.json_call(std::to_string(i));
    large.body.append(std::size_t{15} << 20U, ' ');
    static_cast<void>(scene.answer(std::move(large)));
  }
  const Response busy = scene.post("ping");
  CHECK(busy.status == 503);
  CHECK(busy.headers == std::vector<std::pair<std::string, std::string>>{{"Retry-After", "1"}});
  CHECK(scene.whole(scene.request("POST", R"({"jsonrpc":"2.0","method":"notifications/x"})")).status == 202);
  scene.server.open_gate();
  CHECK(scene.post("ping").status == 200);
}

TEST_CASE("http service: a modern reply that is an error of the request has a status of its own") {
  DoorScene scene;
  const Response refused = scene.whole(scene.modern("tasks/get", claim(R"(,"taskId":"slow")")));
  CHECK(refused.status == 400);
  CHECK(ordered_json::parse(refused.body)["error"]["code"] == kMissingClientCapability);
}

TEST_CASE("http service: calls are put on record, and measured") {
  DoorScene scene;
  scene.initialize();
  CHECK(scene.post("ping").status == 200);
  CHECK(scene.post("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})").status == 200);
  CHECK(scene.post("initialize", R"({"protocolVersion":"2025-11-25"})").status == 400);
  const std::string own = std::exchange(scene.session, "none");
  CHECK(scene.post("ping").status == 404);
  scene.session = own;
  CHECK_FALSE(scene.service.bearer_of("guessed"));
  const std::string audit = content_of(scene.directory / ".audit.jsonl");
  CHECK(audit.find(R"("method":"initialize")") != std::string::npos);
  CHECK(audit.find(R"("by":"exec","client":"","method":"tools/call","tool":"echo")") != std::string::npos);
  CHECK(audit.find("ping") == std::string::npos);

  ServiceRequest asked = scene.request("GET");
  asked.path = "/metrics";
  const Response measured = scene.whole(asked);
  CHECK(measured.status == 200);
  CHECK(measured.content_type == "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"terminally_calls_total{instance=\"\",method=\"ping\",tool=\"\",outcome=\"ok\"} 1\n",
        "terminally_refused_total{status=\"400\"} 1\n", "terminally_refused_total{status=\"401\"} 1\n",
        "terminally_refused_total{status=\"404\"} 1\n", "terminally_sessions{instance=\"\"} 1\n",
        "terminally_peers{instance=\"\",by=\"exec\"} 1\n", "terminally_audit_lost_total 0\n",
        "terminally_requests_under_way 0\n"}) {
    CAPTURE(line);
    CHECK(measured.body.find(line) != std::string::npos);
  }
  asked.method = "POST";
  CHECK(scene.whole(asked).status == 405);
}

TEST_CASE("http service: to be measured opens no instance") {
  DoorScene scene;
  ServiceRequest asked = scene.request("GET");
  asked.path = "/metrics";
  CHECK(scene.whole(asked).body.find("instance=") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(scene.directory / ".audit.jsonl"));
}
