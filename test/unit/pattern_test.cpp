#include "text/pattern.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "base/error.hpp"

using namespace terminally;

namespace {

std::string error_of(std::string_view pattern, std::string_view text) {
  try {
    Pattern compiled(pattern);
    static_cast<void>(compiled.find({.text = text}));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

std::string first(Pattern pattern, std::string_view text, std::size_t from = 0) {
  const auto match = pattern.find({.text = text}, from);
  return match ? std::string(text.substr(match->begin, match->end - match->begin)) : "(none)";
}

}  // namespace

TEST_CASE("pattern: finds, from a place on, at line borders, without regard to case") {
  CHECK(first(Pattern("b+"), "abba") == "bb");
  CHECK(first(Pattern("b+"), "abba", 2) == "b");
  CHECK(first(Pattern("^b\\w*$"), "a\r\nbcd\r\ne") == "bcd");
  CHECK(first(Pattern("BÄR", {.ignore_case = true}), "ein bär") == "bär");
  CHECK(first(Pattern("x"), "") == "(none)");
  Pattern middle("^a|z$");
  CHECK_FALSE(middle.find({.text = "az", .begins_line = false, .ends_line = false}));
}

TEST_CASE("pattern: no match begins after the last place asked for") {
  Pattern pattern("x");
  CHECK_FALSE(pattern.find({.text = "aaax"}, 0, 2));
  CHECK(pattern.find({.text = "aaax"}, 0, 3));
}

TEST_CASE("pattern: what is wrong with it is named, and where") {
  const std::string text = error_of("ab(c", "");
  CHECK(text.find("pattern: ") == 0);
  CHECK(text.find("parenthesis") != std::string::npos);
  CHECK(text.find("byte 4") != std::string::npos);
  CHECK_FALSE(error_of("a\\Cb", "").empty());
  CHECK(error_of("\xFF", "") != "");
  CHECK(error_of(std::string(Pattern::kMaxBytes + 1, 'a'), "").find("4097") != std::string::npos);
  CHECK(error_of(std::string(Pattern::kMaxBytes, 'a'), "") == "");
}

TEST_CASE("pattern: a catastrophic one is an error, not a hang") {
  const std::string text = std::string(60, 'a') + "!";
  for (const std::string pattern : {"(a+)+$", "(a|aa)+$", "(?:(a*)*)*b?$", "^(.*?,){30}P", "(a|b|ab)*c\\d"}) {
    CAPTURE(pattern);
    const auto begin = std::chrono::steady_clock::now();
    const std::string error = error_of(pattern, text + text + text);
    CHECK((error.empty() || error.find("too many steps") != std::string::npos));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  }
  CHECK(error_of("(a+)+$", text).find("too many steps") != std::string::npos);
  CHECK(error_of("(*NO_JIT)(a+)+$", text).find("too many steps") != std::string::npos);
}

TEST_CASE("pattern: invalid UTF-8 matches nothing and never fails") {
  CHECK(first(Pattern("b+"),
              "\xFF\xFE"
              "a\xC3"
              "bb\x80") == "bb");
  CHECK(first(Pattern("a.b"),
              "a\xFF"
              "b") == "(none)");
  CHECK(first(Pattern("a.b"),
              "\xF0\x9F"
              "aäb") == "aäb");
  CHECK(first(Pattern("b"),
              "\x80\x80"
              "b",
              1) == "b");
}

TEST_CASE("pattern: which ones fit many lines") {
  for (const std::string pattern :
       {"error", "a.*b", "^\\s*\\[x\\]+?$", "(?:a|b){2,3}", "(x)\\d\\+", "[^ab]*c"}) {
    CAPTURE(pattern);
    CHECK(Pattern(pattern).fits_many_lines());
  }
  for (const std::string pattern : {"(?s)a.b", "(?!a)b", "a++", "a}+", "\\Aa", "a\\z", "(a)\\1", "a\\Kb",
                                    "(*UTF)a", "(?<n>a)", "\\Ra", "\\Qa"}) {
    CAPTURE(pattern);
    CHECK_FALSE(Pattern(pattern).fits_many_lines());
  }
}
