#include "mcp/resource_uri.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;
using UriKind = ResourceUri::Kind;

TEST_CASE("resource URIs: what we write we read, percent-encoded too") {
  for (const ResourceUri& uri :
       {ResourceUri{}, ResourceUri{UriKind::log, {0}}, ResourceUri{UriKind::screen, {4'294'967'295U}}}) {
    CHECK(parse_resource_uri(to_string(uri)) == uri);
  }
  CHECK(to_string(ResourceUri{UriKind::log, {3}}) == "terminally://tab/@3/log");
  const ResourceUri log{UriKind::log, {3}};
  for (const char* text :
       {"terminally://tab/@3/log", "terminally://tab/%403/log", "terminally://tab/%40%33/log",
        "TERMINALLY://tab/@3/log", "terminally://t%61b/@3/%6cog", "terminally://tab/@3/%6Cog"}) {
    CAPTURE(text);
    CHECK(parse_resource_uri(text) == log);
  }
}

TEST_CASE("resource URIs: every other text names nothing") {
  for (const char* text : {"",
                           "terminally",
                           "terminally:",
                           "terminally://",
                           "terminally:///tabs",
                           "terminally://tabs/",
                           "terminally://Tabs",
                           "terminally://tabs?x",
                           "terminally://tabs#x",
                           "terminally:/tabs",
                           "http://tabs",
                           "terminally://tab",
                           "terminally://tab/@3",
                           "terminally://tab/@3/",
                           "terminally://tab/3/log",
                           "terminally://tab/@/log",
                           "terminally://tab/@-1/log",
                           "terminally://tab/@4294967296/log",
                           "terminally://tab/@3/log/",
                           "terminally://tab//log",
                           "terminally://tab/@3/logs",
                           "terminally://tab/@3%/log",
                           "terminally://tab/%4/log",
                           "terminally://tab/%4x3/log",
                           "terminally://tab/%2540%33/log",
                           "terminally://tab%2F@3%2Flog",
                           "terminally://tab/@3/log%00",
                           "terminally://tab/@3/lo%67%"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_resource_uri(text));
  }
  const std::string whole = "terminally://tab/%403/screen";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(parse_resource_uri(whole.substr(0, size)));
  }
}

TEST_CASE("a URI has a scheme and something after it") {
  for (const char* text : {"a:b", "test://watched-resource", "urn:x", "a+b-c.1:/"}) {
    CHECK(looks_like_uri(text));
  }
  for (const char* text : {"", "a", "a:", ":b", "1a:b", "a b:c", "a:b c", "a:\n", "/x:y"}) {
    CHECK_FALSE(looks_like_uri(text));
  }
}
