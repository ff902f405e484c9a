#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "base/error.hpp"
#include "far_page/far_channels.hpp"
#include "far_page/far_lines.hpp"
#include "far_page/far_questions.hpp"
#include "far_page/far_responses.hpp"
#include "far_page/far_shapes.hpp"
#include "far_page/piped_page.hpp"
#include "far_page/split_searches.hpp"
#include "page/frames.hpp"

using namespace terminally;
using nlohmann::json;

namespace {

json a_command() {
  return json::parse(
      R"({"id":"abc","kind":"command","text":"make","text_bytes":4,"who":null,"state":"running",
    "reason":null,"exit":null,"start":10,"end":null,"typed_byte":2,"at":1700000000000,"ms":5,"cwd":"/",
    "lines":null,"awaiting":null,"cancel":null,"notes":[]})");
}

json a_tab() {
  json tab = json::parse(R"({"id":"@3","name":"main","host":null,"cwd":"/","created_at":1,"foreground":"bash",
    "busy":false,"alternate":false,"cols":80,"rows":24,"log_bytes":5,"first_byte":0,"last_output_at":null,
    "control":null,"closed_at":null,"closed_by":null,"keep_until":null})");
  tab["command"] = a_command();
  return tab;
}

json message_of(const char* type, const char* field, json value) {
  json message;
  message["t"] = type;
  message[field] = std::move(value);
  return message;
}

std::string told_text(const char* message) {
  const auto told = told_of_host(json::parse(message), "web");
  return told ? told->dump() : "";
}

bool is_nothing_of_host(const std::string& line) {
  return std::holds_alternative<std::monostate>(read_line_of_host(line));
}

json hits(std::uint64_t searched, bool done, std::size_t count = 0) {
  json message = json::parse(R"({"t":"hits","id":5,"error":null,"total":100})");
  message["searched"] = searched;
  message["done"] = done;
  message["hits"] = json::array();
  for (std::size_t i = 0; i < count; ++i) {
    message["hits"].push_back(i);
  }
  return message;
}

}  // namespace

TEST_CASE("far lines: each kind is read as it was written") {
  const std::string frame = log_frame({.is_current = true, .is_last = false}, 7, 1ULL << 40U, "a\nb\xff");
  CHECK(std::get<PipedFrame>(read_line_of_host(frame_line(frame))).bytes == frame);
  Response response;
  response.status = 404;
  response.headers = {{"X-From", "5"}};
  response.body = std::string("\0\n\xff", 3);
  const auto answer = std::get<PipedAnswer>(read_line_of_host(answer_line(9, response)));
  CHECK(answer.re == 9);
  CHECK(answer.status == 404);
  CHECK(answer.headers == response.headers);
  CHECK(answer.body == response.body);
  CHECK(std::get<PipedPing>(read_line_of_host(pong_line(3))).number == 3);
  CHECK(std::get<PipedPing>(read_line_of_page(ping_line(3))).number == 3);
  const auto request =
      std::get<PipedRequest>(read_line_of_page(request_line({4, "/api/log/@3", {{"from", "1"}}})));
  CHECK(request.re == 4);
  CHECK(request.path == "/api/log/@3");
  CHECK(request.query == std::map<std::string, std::string>{{"from", "1"}});
  CHECK(std::get<std::string>(read_line_of_page(R"({"t":"ping","x":1})")) == R"({"t":"ping","x":1})");
  CHECK(std::get<json>(read_line_of_host(R"({"t":"bye"})"))["t"] == "bye");
}

TEST_CASE("far lines: what is none of these is nothing") {
  for (const char* line :
       {"", "x", "[]", "5", "null", "{}", R"({"t":5})", R"({"bin":"*"})", R"({"bin":5})", R"({"pong":-1})",
        R"({"pong":"1"})", R"({"re":1})", R"({"re":1,"status":200,"body":"*"})",
        R"({"re":1,"status":99,"body":""})", R"({"re":"1","status":200,"body":""})",
        R"({"re":1,"status":200,"body":"","body":""})", "{\"t\":\"\xff\"}"}) {
    CAPTURE(line);
    CHECK(is_nothing_of_host(line));
  }
  CHECK(is_nothing_of_host(std::string(200, '[')));
  for (const char* line : {"", "[]", R"({"get":5,"re":1})", R"({"get":"/"})", R"({"ping":"x"})"}) {
    CHECK(std::holds_alternative<std::monostate>(read_line_of_page(line)));
  }
}

TEST_CASE("frames: one that is read is the one that was written, and others are none") {
  const auto read =
      read_log_frame(log_frame({.is_current = true, .is_last = true}, 65535, 1ULL << 52U, "xyz"));
  REQUIRE(read);
  CHECK(read->flags.is_current);
  CHECK(read->flags.is_last);
  CHECK(read->channel == 65535);
  CHECK(read->offset == 1ULL << 52U);
  CHECK(read->bytes == "xyz");
  CHECK_FALSE(read_log_frame(""));
  CHECK_FALSE(read_log_frame(std::string(15, '\1')));
  CHECK_FALSE(read_log_frame(std::string(16, '\2')));
  CHECK_FALSE(read_log_frame(log_frame({}, 0, 0, std::string(65537, 'x'))));
}

TEST_CASE("far shapes: ids get the host, and what is not known goes") {
  json told = a_tab();
  told["evil"] = 1;
  told["host"] = "here";
  const auto tab = told_of_host(message_of("tab", "tab", told), "web");
  REQUIRE(tab);
  const json& seen = tab->at("tab");
  CHECK(seen.at("id").get<std::string>() == "web:@3");
  CHECK(seen.at("host").get<std::string>() == "web");
  CHECK_FALSE(seen.contains("evil"));
  CHECK(seen.at("command").dump() == a_command().dump());
  CHECK(told_text(R"({"t":"rate","rates":{"@3":5},"re":1})") == R"({"rates":{"web:@3":5},"t":"rate"})");
  CHECK(told_text(R"({"t":"gone","tab":"@3"})") == R"({"t":"gone","tab":"web:@3"})");
  CHECK(told_text(R"({"t":"withdrawn","tab":"@3","command":"x"})") ==
        R"({"command":"x","t":"withdrawn","tab":"web:@3"})");
  json several = json::array();
  several.push_back(a_tab());
  several.push_back(5);
  several.push_back(json::object());
  const auto list = told_of_host(message_of("tabs", "tabs", several), "web");
  REQUIRE(list);
  CHECK(list->at("tabs").size() == 1);
}

TEST_CASE("far shapes: each field of another kind drops the message") {
  const json good = a_tab();
  for (const auto& [name, value] : good.items()) {
    if (name == "host") {
      continue;
    }
    json bad = message_of("tab", "tab", good);
    bad["tab"][name] = json::array({1});
    CAPTURE(name);
    CHECK_FALSE(told_of_host(bad, "web"));
  }
  const json command = a_command();
  for (const auto& [name, value] : command.items()) {
    json bad = message_of("command", "command", command);
    bad["tab"] = "@3";
    CHECK(told_of_host(bad, "web"));
    bad["command"][name] = json::object();
    CAPTURE(name);
    CHECK_FALSE(told_of_host(bad, "web"));
  }
  for (const char* id : {"web:@3", "@", "3", "@3 ", "@99999999999", ""}) {
    CHECK_FALSE(told_of_host(message_of("gone", "tab", id), "web"));
    json rates = json::object();
    rates[id] = 1;
    CHECK_FALSE(told_of_host(message_of("rate", "rates", rates), "web"));
  }
  for (const char* type : {"hello", "instances", "host", "bye", "done", "error", "", "x"}) {
    CHECK_FALSE(told_of_host(message_of(type, "tab", "@3"), "web"));
  }
  json wide = message_of("tab", "tab", a_tab());
  wide["tab"]["cols"] = 1'000'000;
  CHECK_FALSE(told_of_host(wide, "web"));
  wide["tab"]["cols"] = 80;
  wide["tab"]["name"] = std::string(5'000, 'x');
  CHECK_FALSE(told_of_host(wide, "web"));
}

TEST_CASE("far pages: who looks travels in one word") {
  for (const Role role : {Role::view, Role::exec}) {
    const Visitor visitor = visitor_named(name_of({role, "ab12"}));
    CHECK(visitor.role == role);
    CHECK(visitor.session == "ab12");
  }
  for (const char* bad : {"", "exec", "exec-", "view-", "root-ab", "xexec-ab"}) {
    CHECK_THROWS_AS(static_cast<void>(visitor_named(bad)), Error);
  }
}

TEST_CASE("far questions: a host answers what was asked, and once") {
  FarQuestions questions;
  const std::uint64_t one = questions.add({"page's", {}, {}});
  CHECK_FALSE(questions.take(one + 1));
  CHECK_FALSE(questions.take(nullptr));
  CHECK_FALSE(questions.take(std::to_string(one)));
  CHECK(questions.take(one)->re == "page's");
  CHECK_FALSE(questions.take(one));
  for (std::size_t i = 0; i < FarQuestions::kMost; ++i) {
    static_cast<void>(questions.add({}));
  }
  CHECK_THROWS_AS(static_cast<void>(questions.add({})), Error);
  CHECK(questions.take_all().size() == FarQuestions::kMost);
  CHECK(questions.take_all().empty());
}

TEST_CASE("far channels: a number is of one watch") {
  FarChannels channels;
  channels.open(5, "@3", 0);
  CHECK(channels.by_number(0) == nullptr);
  const std::uint16_t first = channels.number_anew(5).there;
  REQUIRE(channels.by_number(first) != nullptr);
  CHECK(channels.by_number(first)->first == 5);
  const std::uint16_t second = channels.number_anew(5).there;
  CHECK(channels.by_number(first) == nullptr);
  CHECK(channels.by_number(second + 65'536U) == nullptr);
  channels.open(6, "@4", "tail");
  for (int i = 0; i < 70'000; ++i) {
    CHECK(channels.number_anew(6).there != second);
  }
  CHECK(channels.is_watched("@4"));
  channels.open(6, "@5", 0);
  CHECK_FALSE(channels.is_watched("@4"));
  channels.close(6);
  CHECK_FALSE(channels.has(6));
  for (std::uint16_t i = 100; channels.all().size() < FarChannels::kMost; ++i) {
    channels.open(i, "@3", 0);
  }
  CHECK_THROWS_AS(channels.open(1, "@3", 0), Error);
  channels.open(5, "@4", 0);
}

TEST_CASE("split searches: done once all places are") {
  SplitSearches searches;
  const json request = json::parse(R"({"t":"search","id":5,"re":1,"limit":10})");
  const std::uint64_t number = searches.begin(request, {"", "web", "db"});
  json told = searches.take_here(hits(50, true, 2));
  CHECK(told["id"] == 5);
  CHECK(told["done"] == false);
  CHECK(told["hits"].size() == 2);
  told = *searches.take(number, "web", hits(30, false, 3));
  CHECK(told["searched"] == 80);
  CHECK(told["total"] == 200);
  CHECK_FALSE(searches.take(number, "other", hits(1, true)));
  CHECK_FALSE(searches.take(number + 1, "web", hits(1, true)));
  CHECK((*searches.take(number, "web", hits(100, true)))["done"] == false);
  CHECK_FALSE(searches.take(number, "web", hits(100, true)));
  const auto last = searches.fail_all("db", "no link");
  REQUIRE(last.size() == 1);
  CHECK(last.front()["done"] == true);
  CHECK(last.front()["error"] == "no link");
  CHECK(searches.take_here(hits(1, true)) == hits(1, true));
}

TEST_CASE("split searches: no more hits than the page wants") {
  SplitSearches searches;
  const json request = json::parse(R"({"t":"search","id":5,"re":1,"limit":3})");
  const std::uint64_t number = searches.begin(request, {"web", "db"});
  CHECK((*searches.take(number, "web", hits(1, false, 2)))["done"] == false);
  const json told = *searches.take(number, "db", hits(1, false, 2));
  CHECK(told["hits"].size() == 1);
  CHECK(told["done"] == true);
  CHECK_FALSE(searches.take(number, "web", hits(2, false, 2)));
  const std::uint64_t next = searches.begin(request, {"web"});
  searches.refuse(1);
  CHECK_FALSE(searches.take(next, "web", hits(2, false)));
  const std::uint64_t stopped = searches.begin(request, {"web"});
  CHECK(searches.forget(5) == stopped);
  CHECK_FALSE(searches.forget(5));
}

TEST_CASE("far responses: paths that name a tab of a host") {
  const auto place = far_place_in("/api/log/build1:@3");
  REQUIRE(place);
  CHECK(place->what == "log");
  CHECK(place->host == "build1");
  CHECK(place->tab == "@3");
  for (const char* path : {"/api/log/@3", "/api/log/build1:3", "/api/log/:@3", "/api/log/a/b:@3",
                           "/x/log/a:@3", "/api/log/a:@3/..", "/api/log", "/api/log/a:b:@3"}) {
    CAPTURE(path);
    CHECK_FALSE(far_place_in(path));
  }
}

TEST_CASE("far responses: headers are numbers and gaps, whatever the host says") {
  const FarPlaceAsked place{"log", "web", "@3"};
  PipedAnswer answer{
      1, 200, {{"X-From", "0"}, {"X-Next", "3"}, {"X-End", "3"}, {"X-Gaps", "[[1, null, \"lost\"]]"}}, "abc"};
  answer.headers.emplace_back("Set-Cookie", "x=y");
  const Response good = response_of_host(place, answer, nullptr);
  CHECK(good.headers.size() == 4);
  CHECK(good.headers.back().second == "[[1,null,\"lost\"]]");
  CHECK(good.body == "abc");
  for (const char* value : {"", "1\r\nX: y", "-1", "1 ", "99999999999999999999999"}) {
    PipedAnswer bad = answer;
    bad.headers[1].second = value;
    CHECK_THROWS_AS(static_cast<void>(response_of_host(place, bad, nullptr)), Error);
  }
  PipedAnswer bad = answer;
  bad.headers[3].second = R"([[1,2,"x",3]])";
  CHECK_THROWS_AS(static_cast<void>(response_of_host(place, bad, nullptr)), Error);
  bad = answer;
  bad.body.assign(std::size_t{2} << 20U, 'x');
  CHECK_THROWS_AS(static_cast<void>(response_of_host(place, bad, nullptr)), Error);
  PipedAnswer refusal{1, 404, {}, R"({"error":{"code":"not_found","message":"no tab @3"}})"};
  const Response refused = response_of_host(place, refusal, nullptr);
  CHECK(refused.status == 404);
  CHECK(refused.body.find("web:@3") != std::string::npos);
  refusal.body = "5";
  CHECK(response_of_host(place, refusal, nullptr).status == 500);
}
