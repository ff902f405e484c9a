#include "text/typed_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"

using namespace terminally;
using namespace std::string_literals;

namespace {

std::string refusal(std::string_view text, bool allow_control = false) {
  try {
    check_text(text, allow_control);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A7: control characters in text are refused by name and place") {
  CHECK(refusal("plain\ttext\r\nof lines\n, grüße €, \U0001F600").empty());
  CHECK(refusal("ab\x1b[A").find("U+001B at byte 2;") != std::string::npos);
  CHECK(refusal("é\x7f").find("U+007F at byte 2;") != std::string::npos);
  CHECK(refusal("\xC2\x9B").find("U+009B at byte 0;") != std::string::npos);
  CHECK(refusal("\xC2\xA0").empty());
  CHECK(refusal("ab\x1b\x03\x7f\xC2\x9B", true).empty());
  CHECK(refusal("a\0b"s, true).find("NUL character at byte 1") != std::string::npos);
  CHECK(refusal("a\xFF", true).find("UTF-8") != std::string::npos);
}

TEST_CASE("A7: a newline is one Enter, and submit adds one only where none is") {
  CHECK(with_enter_keys("a\nb\r\nc\rd", true) == "a\nb\nc\rd");
  CHECK(with_enter_keys("a\n", true) == "a");
  CHECK(with_enter_keys("a\r\n", true) == "a");
  CHECK(with_enter_keys("a\n\n", true) == "a\n");
  CHECK(with_enter_keys("a\n", false) == "a\n");
  CHECK(with_enter_keys("\n", true).empty());
  CHECK(with_enter_keys("", true).empty());
}

TEST_CASE("A7: several lines are pasted, one is typed") {
  CHECK(is_for_paste("a\nb"));
  CHECK(is_for_paste("a\tb"));
  CHECK_FALSE(is_for_paste(":wq"));
  CHECK_FALSE(is_for_paste("a\n\x1b"));
  CHECK_FALSE(is_for_paste(""));
}

TEST_CASE("D2: what is left at a prompt has no control characters") {
  CHECK_NOTHROW(check_prompt_text("echo a\n\tb\r\n"));
  for (const std::string_view text : {"\x1b[201~\r", "a\x03", "a\x0f", "\xC2\x9B"}) {
    CHECK_THROWS_AS(check_prompt_text(text), Error);
  }
}

TEST_CASE("D2: several lines are pasted where the editor at the prompt has turned bracketed paste on") {
  CHECK(takes_pasted_lines("\x1b]133;D;0;mcp=END:1\x07\x1b[?2004h$ "));
  CHECK_FALSE(takes_pasted_lines("$ "));
  CHECK_FALSE(takes_pasted_lines("\x1b[?2004h$ ls\r\n\x1b[?2004l\r"));
  CHECK_FALSE(takes_pasted_lines("\x1b[?2004h by a program\x1b]133;D;0;mcp=END:1\x07$ "));
  CHECK_FALSE(takes_pasted_lines("\x1b[?2004h$ \x1b\x63$ "));
}

TEST_CASE("A7: a line that a terminal in line mode would cut is named") {
  const std::string fits(kLongestTypedLine, 'x');
  CHECK_NOTHROW(check_line_lengths(fits + "\n" + fits + "\r" + fits));
  CHECK_NOTHROW(check_line_lengths(""));
  for (const char* newline : {"\n", "\r"}) {
    try {
      check_line_lengths("a" + std::string(newline) + fits + "y");
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("line 2 has 4096 bytes") != std::string::npos);
    }
  }
}
