#include "http/rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

using namespace terminally;

namespace {

std::string refusal_of_place(const std::string& text) {
  try {
    return "taken as " + to_string(parse_listen_place(text));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("http rules: where it may listen (T2)") {
  CHECK(to_string(parse_listen_place("127.0.0.1:7332")) == "http://127.0.0.1:7332");
  CHECK(to_string(parse_listen_place("127.0.0.2:0")) == "http://127.0.0.2:0");
  CHECK(to_string(parse_listen_place("[::1]:80")) == "http://[::1]:80");
  CHECK(to_string(parse_listen_place("unix:/run/x y.sock")) == "unix:/run/x y.sock");
  for (const char* text : {"0.0.0.0:7332", "192.168.1.5:7332", "[::]:7332", "[fe80::1]:7332", "8.8.8.8:1"}) {
    CAPTURE(text);
    CHECK(refusal_of_place(text).find("other machines") != std::string::npos);
  }
  for (const char* text :
       {"", "7332", "127.0.0.1", "127.0.0.1:", ":7332", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:07",
        "127.0.0.1:7332x", "localhost:7332", "2130706433:1", "[::1]", "unix:relative"}) {
    CAPTURE(text);
    CHECK(refusal_of_place(text).find("taken as") == std::string::npos);
  }
}

TEST_CASE("http rules: the names that are ours (T2)") {
  const ListenPlace place;
  for (const char* host : {"127.0.0.1:7332", "localhost:7332", "[::1]:7332"}) {
    CAPTURE(host);
    CHECK(own_port(host, place) == 7332);
  }
  for (const char* host : {"",
                           "127.0.0.1",
                           "localhost",
                           "127.0.0.1:80",
                           "127.0.0.1:7333",
                           "localhost:07332",
                           "localhost:7332x",
                           "localhost:7332:7332",
                           "localhost.:7332",
                           "localhost.evil.com:7332",
                           "evil.com:7332",
                           "evil.com",
                           "127.0.0.1.nip.io:7332",
                           "127.0.0.11:7332",
                           "127.0.0.2:7332",
                           "0.0.0.0:7332",
                           "2130706433:7332",
                           "127.1:7332",
                           "[::]:7332",
                           "[::ffff:127.0.0.1]:7332",
                           "::1:7332",
                           "user@localhost:7332",
                           "localhost:7332/",
                           " localhost:7332",
                           "localhost:+7332",
                           "localhost: 7332",
                           "LOCALHOST:7332"}) {
    CAPTURE(host);
    CHECK_FALSE(own_port(host, place));
  }
  const ListenPlace other{"127.0.0.11", 9, {}};
  CHECK(own_port("127.0.0.11:9", other) == 9);
  CHECK(own_port("127.0.0.1:9", other) == 9);
  ListenPlace socket;
  socket.socket = "/run/x";
  CHECK(own_port("localhost:8000", socket) == 8000);
  CHECK(own_port("localhost", socket) == 80);
  CHECK_FALSE(own_port("evil.com:8000", socket));
  CHECK_FALSE(own_port("localhost:0", socket));
}

TEST_CASE("http rules: the origin is the page's own, to the letter (T2)") {
  CHECK(is_same_origin("http://localhost:7332", "localhost:7332"));
  for (const char* origin :
       {"", "null", "https://localhost:7332", "http://localhost", "http://localhost:73320",
        "http://localhost:7332/", "http://127.0.0.1:7332", "http://evil.localhost:7332", "http://evil.com",
        "file://", "localhost:7332", "http://localhost:7332.evil.com", "HTTP://localhost:7332"}) {
    CAPTURE(origin);
    CHECK_FALSE(is_same_origin(origin, "localhost:7332"));
  }
  CHECK(is_own_fetch(""));
  CHECK(is_own_fetch("same-origin"));
  CHECK(is_own_fetch("none"));
  CHECK_FALSE(is_own_fetch("same-site"));
  CHECK_FALSE(is_own_fetch("cross-site"));
}

TEST_CASE("http rules: the cookie of this port") {
  CHECK(cookie_name(7332) == "terminally-7332");
  CHECK(cookie_value("terminally-7332=abc", "terminally-7332") == "abc");
  CHECK(cookie_value("a=b; terminally-7332=abc; c=d", "terminally-7332") == "abc");
  CHECK(cookie_value("a=b;terminally-7332=abc", "terminally-7332") == "abc");
  for (const char* cookies :
       {"", "terminally-7333=abc", "terminally-73321=abc", "xterminally-7332=abc", "terminally-7332",
        "terminally-7332=", "terminally-7332=abc; terminally-7332=def", "TERMINALLY-7332=abc", ";;;",
        "=abc"}) {
    CAPTURE(cookies);
    CHECK(cookie_value(cookies, "terminally-7332").empty());
  }
}

TEST_CASE("http rules: targets") {
  const auto plain = parse_target("/api/log/%403?from=1&max=2&x=a%20b&flag");
  REQUIRE(plain);
  CHECK(plain->path == "/api/log/@3");
  CHECK(plain->query ==
        std::map<std::string, std::string>{{"from", "1"}, {"max", "2"}, {"x", "a b"}, {"flag", ""}});
  CHECK(parse_target("/")->path == "/");
  CHECK(parse_target("/a?")->query.empty());
  CHECK(parse_target("/a?b=c=d")->query.at("b") == "c=d");
  for (const char* target : {"",           "a",      "*",        "http://127.0.0.1:7332/",
                             "//../x",     "/..",    "/a/../b",  "/%2e%2e/x",
                             "/.",         "/a/./b", "/..%2fx",  "/a\\b",
                             "/%00",       "/%0a",   "/%",       "/%4",
                             "/%zz",       "/%c3",   "/%ff",     "/a#b",
                             "/a?b=1&b=2", "/a?=1",  "/a?%ff=1", "/a?b=%0d%0a"}) {
    CAPTURE(target);
    CHECK_FALSE(parse_target(target));
  }
}
