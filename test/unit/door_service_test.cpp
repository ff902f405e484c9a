// MCP over HTTP without a socket: requests in, answers and pieces of streams out.
#include "door/mcp_service.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "connection.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

struct DoorScene {
  DoorScene()
      : service(directory.path(), [this](const std::string& name) {
          if (name == "bad name") {
            throw Error(ErrorCode::invalid_argument, "no instance can have that name");
          }
          return ServedInstance{server.core(), settings_of("view"), settings_of("exec"), false};
        }) {}

  template <class T>
  T run(Awaitable<T> work) {
    const Spawned<T> spawned(server.core()->executor, std::move(work));
    const auto give_up = Clock::now() + std::chrono::seconds(20);
    while (!spawned.is_over() && Clock::now() < give_up) {
      server.settle();
    }
    REQUIRE(spawned.is_over());
    return spawned.result();
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

  void initialize() {
    const Response begun = post("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})");
    REQUIRE(begun.status == 200);
    REQUIRE(begun.headers.size() == 1);
    CHECK(begun.headers[0].first == "Mcp-Session-Id");
    session = begun.headers[0].second;
  }

  TempDir directory;
  TestServer server;
  McpService service;
  std::string path = "/mcp";
  std::string credential = "a token";
  std::string session;
};

const std::string kSlowParams =
    R"({"name":"slow","arguments":{"text":"done"},"_meta":{"progressToken":"t"}})";

/// The params of a modern call of the slow tool.
std::string slow_modern() {
  return claim(R"(,"name":"slow","arguments":{"text":"done"})");
}

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
  scene.credential = "another token";
  CHECK(scene.post("ping").status == 404);
  CHECK(scene.whole(scene.request("DELETE")).status == 404);
  scene.credential = "a token";
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
  CHECK_THROWS_AS(scene.post("ping"), Error);
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
  waiting.later = nullptr;
  scene.server.settle();
  CHECK(scene.server.slow_tool().cancelled == 1);
}

TEST_CASE("http service: a modern answer that takes longer than a second comes as an event, without an id") {
  DoorScene scene;
  Response streamed = scene.whole(scene.modern("tools/call", slow_modern()));
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
}

TEST_CASE("http service: a client that takes JSON alone waits for it") {
  DoorScene scene;
  ServiceRequest sent = scene.modern("tools/call", slow_modern());
  sent.headers["accept"] = "application/json";
  const ServiceAnswer waiting = scene.answer(std::move(sent));
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
  scene.initialize();
  const ServiceAnswer waiting =
      scene.answer(scene.request("POST", DoorScene::body("tools/call", kSlowParams)));
  REQUIRE(waiting.later);
  const Spawned<Response> later(scene.server.core()->executor, waiting.later());
  const Response own = scene.whole(scene.request("GET"));
  const Spawned<> end(scene.server.core()->executor, scene.service.finish(Clock::now() + Milliseconds(50)));
  const auto give_up = Clock::now() + std::chrono::seconds(20);
  while (!end.is_over() && Clock::now() < give_up) {
    scene.server.settle();
  }
  REQUIRE(later.is_over());
  CHECK(later.result().body.find("The server ends") != std::string::npos);
  static_cast<void>(scene.run(own.source()));  // the id that comes first
  CHECK(scene.run(own.source()).empty());
  CHECK(scene.post("ping").status == 503);
}
