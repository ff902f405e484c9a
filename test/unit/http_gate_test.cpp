#include "http/gate.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace terminally;

namespace {

/// Never asked: a request is judged by its head.
class NoSite : public Site {
 public:
  Awaitable<Response> answer(Request /*request*/) override { co_return Response(); }
  Awaitable<void> live(Socket& /*socket*/, std::map<std::string, std::string> /*query*/) override {
    co_return;
  }
};

/// Knows the token "good", of a program that may act.
class ServiceOfGate : public Service {
 public:
  std::optional<Bearer> bearer_of(std::string_view token) override {
    return token == "good" ? std::optional(Bearer{Role::exec, "its name"}) : std::nullopt;
  }
  std::shared_ptr<const void> room_for(const Bearer& /*bearer*/, std::size_t /*bytes*/) override {
    return nullptr;
  }
  Awaitable<ServiceAnswer> answer(ServiceRequest /*request*/) override { co_return ServiceAnswer(); }
};

/// A server with one visitor, and a request of that visitor's page that is right in all.
struct GateScene {
  explicit GateScene(Role role = Role::view) : house{ListenPlace(), site, {}, {}, false} {
    const auto entered =
        house.sessions.enter(house.sessions.make_code(role, Clock::now()), 7332, Clock::now());
    secret = entered->cookie;
    cookies = "terminally-7332=" + secret;
    head.method = "GET";
    head.target = "/api/instances";
    head.hosts = {"127.0.0.1:7332"};
    head.origins = {"http://127.0.0.1:7332"};
    head.fetch_site = "same-origin";
    head.cookies = cookies;
  }

  /// The status of a refusal; 0: it is admitted.
  unsigned judge() {
    const auto judged = admit(head, house);
    const auto* refusal = std::get_if<Response>(&judged);
    return refusal != nullptr ? refusal->status : 0;
  }

  NoSite site;
  House house;
  std::string secret;
  std::string cookies;
  RequestHead head;
};

}  // namespace

TEST_CASE("http gate: the page's own requests") {
  GateScene scene(Role::exec);
  const auto judged = admit(scene.head, scene.house);
  const auto* admitted = std::get_if<Admitted>(&judged);
  REQUIRE(admitted != nullptr);
  CHECK(admitted->door == Door::api);
  CHECK(admitted->visitor.role == Role::exec);
  CHECK(admitted->visitor.session.size() == 8);
  scene.head.origins.clear();  // as browsers do for GET
  CHECK(scene.judge() == 0);
  scene.head.fetch_site = "";
  CHECK(scene.judge() == 0);
  scene.head.target = "/live";
  scene.head.upgrades = true;
  CHECK(scene.judge() == 403);
  scene.head.origins = {"http://127.0.0.1:7332"};
  CHECK(scene.judge() == 0);
  scene.head.cookies = "";
  CHECK(scene.judge() == 401);
}

TEST_CASE("http gate: hostile heads (T2)") {
  struct Row {
    const char* what;
    std::function<void(GateScene&)> spoil;
    unsigned status;
  };
  const std::vector<Row> rows = {
      {"no host", [](GateScene& s) { s.head.hosts.clear(); }, 403},
      {"two hosts", [](GateScene& s) { s.head.hosts = {"127.0.0.1:7332", "127.0.0.1:7332"}; }, 403},
      {"a name that leads here", [](GateScene& s) { s.head.hosts = {"evil.com:7332"}; }, 403},
      {"and its own origin",
       [](GateScene& s) {
         s.head.hosts = {"evil.com:7332"};
         s.head.origins = {"http://evil.com:7332"};
       },
       403},
      {"another port", [](GateScene& s) { s.head.hosts = {"127.0.0.1:80"}; }, 403},
      {"two origins", [](GateScene& s) { s.head.origins.emplace_back("http://evil.com"); }, 403},
      {"twice the same", [](GateScene& s) { s.head.origins.push_back(s.head.origins.front()); }, 403},
      {"another site", [](GateScene& s) { s.head.origins = {"http://evil.com"}; }, 403},
      {"no site", [](GateScene& s) { s.head.origins = {"null"}; }, 403},
      {"another port's page", [](GateScene& s) { s.head.origins = {"http://127.0.0.1:3000"}; }, 403},
      {"our other name", [](GateScene& s) { s.head.origins = {"http://localhost:7332"}; }, 403},
      {"another scheme", [](GateScene& s) { s.head.origins = {"https://127.0.0.1:7332"}; }, 403},
      {"an image of another site",
       [](GateScene& s) {
         s.head.origins.clear();
         s.head.fetch_site = "cross-site";
       },
       403},
      {"of another port",
       [](GateScene& s) {
         s.head.origins.clear();
         s.head.fetch_site = "same-site";
       },
       403},
      {"a form of no site",
       [](GateScene& s) {
         s.head.method = "POST";
         s.head.origins = {"null"};
       },
       403},
      {"a form without an origin",
       [](GateScene& s) {
         s.head.method = "POST";
         s.head.origins.clear();
       },
       403},
      {"no cookie", [](GateScene& s) { s.head.cookies = ""; }, 401},
      {"a wrong one", [](GateScene& s) { s.head.cookies = "terminally-7332=0123"; }, 401},
      {"an empty one", [](GateScene& s) { s.head.cookies = "terminally-7332="; }, 401},
      {"of another port",
       [](GateScene& s) {
         s.cookies = "terminally-7333=" + s.secret;
         s.head.cookies = s.cookies;
       },
       401},
      {"two of them",
       [](GateScene& s) {
         s.cookies += "; " + s.cookies;
         s.head.cookies = s.cookies;
       },
       401},
      {"a longer one",
       [](GateScene& s) {
         s.cookies += "0";
         s.head.cookies = s.cookies;
       },
       401},
      {"the session's name for it", [](GateScene& s) { s.head.cookies = "terminally-7332=view"; }, 401},
      {"a method", [](GateScene& s) { s.head.method = "DELETE"; }, 405},
      {"another", [](GateScene& s) { s.head.method = "OPTIONS"; }, 405},
      {"a third", [](GateScene& s) { s.head.method = "get"; }, 405},
      {"a post to a file",
       [](GateScene& s) {
         s.head.target = "/";
         s.head.method = "POST";
       },
       405},
      {"entering by a link", [](GateScene& s) { s.head.target = "/enter?code=1"; }, 405},
      {"a way out", [](GateScene& s) { s.head.target = "/api/../live"; }, 400},
      {"a proxy's target", [](GateScene& s) { s.head.target = "http://127.0.0.1:7332/api/instances"; }, 400},
      {"no upgrade", [](GateScene& s) { s.head.target = "/live"; }, 426},
      {"an upgrade of another site",
       [](GateScene& s) {
         s.head.target = "/live";
         s.head.upgrades = true;
         s.head.origins = {"http://127.0.0.1:7332.evil.com"};
       },
       403},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    GateScene scene;
    REQUIRE(scene.judge() == 0);
    row.spoil(scene);
    CHECK(scene.judge() == row.status);
  }
}

TEST_CASE("http sessions: a code is good once, and for ten minutes") {
  Sessions sessions;
  const auto now = Clock::now();
  const std::string code = sessions.make_code(Role::exec, now);
  CHECK_FALSE(sessions.enter("", 7332, now));
  CHECK_FALSE(sessions.enter(code + "0", 7332, now));
  const auto entered = sessions.enter(code, 7332, now);
  REQUIRE(entered);
  CHECK(entered->visitor.role == Role::exec);
  CHECK_FALSE(sessions.enter(code, 7332, now));
  const std::string late = sessions.make_code(Role::view, now);
  CHECK_FALSE(sessions.enter(late, 7332, now + Sessions::kCodeLasts));
  CHECK(sessions.visitor_of(entered->cookie, 7332)->session == entered->visitor.session);
  CHECK_FALSE(sessions.visitor_of(entered->cookie, 7333));
  CHECK_FALSE(sessions.visitor_of(code, 7332));
  CHECK_FALSE(sessions.visitor_of("", 7332));
}

TEST_CASE("http sessions: what is used stays, what is not goes") {
  Sessions sessions;
  const auto now = Clock::now();
  const auto enter = [&] { return sessions.enter(sessions.make_code(Role::view, now), 7332, now)->cookie; };
  const std::string used = enter();
  const std::string unused = enter();
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(enter());
    CHECK(sessions.visitor_of(used, 7332));
  }
  CHECK_FALSE(sessions.visitor_of(unused, 7332));
  const std::string first = sessions.make_code(Role::view, now);
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(sessions.make_code(Role::view, now));
  }
  CHECK_FALSE(sessions.enter(first, 7332, now));
}

TEST_CASE("http gate: programs show a token, and no Origin but the own one") {
  ServiceOfGate service;
  GateScene scene;
  scene.house.service = &service;
  struct Row {
    const char* what;
    std::function<void(RequestHead&)> change;
    unsigned status;
  };
  const std::vector<Row> rows = {
      {"right", [](RequestHead&) {}, 0},
      {"of an instance", [](RequestHead& head) { head.target = "/mcp/work"; }, 0},
      {"GET", [](RequestHead& head) { head.method = "GET"; }, 0},
      {"its measures", [](RequestHead& head) { head.target = "/metrics"; }, 0},
      {"DELETE", [](RequestHead& head) { head.method = "DELETE"; }, 0},
      {"HEAD", [](RequestHead& head) { head.method = "HEAD"; }, 405},
      {"PUT", [](RequestHead& head) { head.method = "PUT"; }, 405},
      {"OPTIONS", [](RequestHead& head) { head.method = "OPTIONS"; }, 405},
      {"the page's Origin", [](RequestHead& head) { head.origins = {"http://127.0.0.1:7332"}; }, 0},
      {"a page's of another site", [](RequestHead& head) { head.origins = {"http://evil.com"}; }, 403},
      {"of no site", [](RequestHead& head) { head.origins = {"null"}; }, 403},
      {"a fetch from elsewhere", [](RequestHead& head) { head.fetch_site = "cross-site"; }, 403},
      {"a name that leads here", [](RequestHead& head) { head.hosts = {"evil.com:7332"}; }, 403},
      {"no token", [](RequestHead& head) { head.authorization = ""; }, 401},
      {"another scheme", [](RequestHead& head) { head.authorization = "Basic good"; }, 401},
      {"a scheme as long", [](RequestHead& head) { head.authorization = "Digest good"; }, 401},
      {"a scheme alone", [](RequestHead& head) { head.authorization = "Bearer "; }, 401},
      {"no blank", [](RequestHead& head) { head.authorization = "Bearergood"; }, 401},
      {"in lower case", [](RequestHead& head) { head.authorization = "bearer good"; }, 0},
      {"more blanks", [](RequestHead& head) { head.authorization = "Bearer   good "; }, 0},
      {"a wrong token", [](RequestHead& head) { head.authorization = "Bearer goo"; }, 401},
      {"one that goes on", [](RequestHead& head) { head.authorization = "Bearer goodx"; }, 401},
      {"another case", [](RequestHead& head) { head.authorization = "Bearer Good"; }, 401},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    scene.head = RequestHead{};
    scene.head.method = "POST";
    scene.head.target = "/mcp";
    scene.head.hosts = {"127.0.0.1:7332"};
    scene.head.authorization = "Bearer good";
    row.change(scene.head);
    CHECK(scene.judge() == row.status);
  }
  scene.head.authorization = "";
  const auto judged = admit(scene.head, scene.house);
  CHECK(std::get<Response>(judged).headers ==
        std::vector<std::pair<std::string, std::string>>{{"WWW-Authenticate", "Bearer"}});
  scene.head.target = "/metrics";
  CHECK(scene.judge() == 401);
  scene.head.target = "/mcpx";
  scene.head.method = "GET";
  CHECK(std::get<Admitted>(admit(scene.head, scene.house)).door == Door::file);
  scene.house.service = nullptr;
  scene.head.target = "/mcp";
  CHECK(std::get<Admitted>(admit(scene.head, scene.house)).door == Door::file);
}

TEST_CASE("http gate: that the process serves is told without a token, and to nobody elsewhere") {
  GateScene scene;
  scene.head.method = "GET";
  scene.head.target = "/healthz";
  scene.head.hosts = {"127.0.0.1:7332"};
  CHECK(scene.judge() == 200);
  scene.head.method = "POST";
  CHECK(scene.judge() == 405);
  scene.head.method = "GET";
  scene.head.hosts = {"evil.com:7332"};
  CHECK(scene.judge() == 403);
}
