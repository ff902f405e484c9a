#include "base/utf8.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>

using namespace terminally;

namespace {

std::string replacements(std::size_t count) {
  std::string text;
  while (count-- > 0) {
    text += kReplacementCharacter;
  }
  return text;
}

}  // namespace

TEST_CASE("utf8: every character that Unicode has is valid, surrogates are replaced") {
  bool all = true;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    std::string text;
    append_utf8(text, c);
    const Utf8Part part = first_utf8_part(text);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    all = all && part.kind == Utf8Kind::valid && part.bytes == text.size() &&
          (text == kReplacementCharacter) == (surrogate || c == 0xFFFD);
  }
  CHECK(all);
  std::string text;
  for (const char32_t c : {U'A', U'\u00e9', U'\u20ac', U'\U0001F600', char32_t{0x110000}}) {
    append_utf8(text, c);
  }
  CHECK(text == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD");
}

TEST_CASE("utf8: maximal invalid parts become one U+FFFD each") {
  // The examples of the Unicode Standard, tables 3-8 to 3-11, and WHATWG's encoding tests.
  const std::array<std::pair<std::string, std::string>, 14> cases = {{
      {"plain", "plain"},
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", replacements(8) + "A"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", replacements(8) + "A"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", replacements(5) + "A" + replacements(2) + "B"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", replacements(4) + "A"},
      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
      {"\xF0\x9F\x98", replacements(1)},
      {"\xF0\x9F\x41", replacements(1) + "A"},
      {"\xC3\xA9\xC3", "\xC3\xA9" + replacements(1)},
      {"\xFE\xFF", replacements(2)},
      {"\xC1\xBF", replacements(2)},
      {"\xF5\x80\x80\x80", replacements(4)},
      {"12345678\x80"
       "12345678",
       "12345678" + replacements(1) + "12345678"},
      {std::string("nul\0", 4), std::string("nul\0", 4)},
  }};
  for (const auto& [bytes, text] : cases) {
    CAPTURE(text);
    CHECK(to_valid_utf8(bytes) == text);
    CHECK(is_valid_utf8(bytes) == (bytes == text));
    CHECK(is_valid_utf8(text));
  }
}

TEST_CASE("R25: a chunk cut before the incomplete suffix loses nothing, at every split") {
  const std::string text = "a\xC3\xA9 \xE2\x82\xAC\xE6\xBC\xA2 \xF0\x9F\x98\x80z\xCC\x81";
  for (std::size_t split = 0; split <= text.size(); ++split) {
    const std::string_view head = std::string_view(text).substr(0, split);
    const std::size_t cut = split - incomplete_utf8_suffix(head);
    CAPTURE(split);
    CHECK(is_valid_utf8(head.substr(0, cut)));
    CHECK(is_valid_utf8(std::string_view(text).substr(cut)));
  }
}

TEST_CASE("utf8: a text is cut between characters, at every place") {
  const std::string text = "aé€😀.";
  for (std::size_t most = 0; most <= text.size() + 1; ++most) {
    const std::string_view kept = whole_characters(text, most);
    CAPTURE(most);
    CHECK(text.starts_with(kept));
    CHECK(kept.size() <= most);
    CHECK(is_valid_utf8(kept));
    CHECK((kept.size() + 4 > most || kept == text));
    CHECK(shortened(text, most) == std::string(kept) + (kept == text ? "" : "…"));
  }
}

TEST_CASE("utf8: only what can still become a character is an incomplete suffix") {
  CHECK(incomplete_utf8_suffix("") == 0);
  CHECK(incomplete_utf8_suffix("a") == 0);
  CHECK(incomplete_utf8_suffix("a\xC3") == 1);
  CHECK(incomplete_utf8_suffix("\xE2\x82") == 2);
  CHECK(incomplete_utf8_suffix("\xF0\x9F\x98") == 3);
  CHECK(incomplete_utf8_suffix("\xF0\x9F\x98\x80") == 0);
  CHECK(incomplete_utf8_suffix("\xED\xA0") == 0);  // a surrogate will not become one
  CHECK(incomplete_utf8_suffix("\xC0") == 0);
  CHECK(incomplete_utf8_suffix("\xFF") == 0);
  CHECK(incomplete_utf8_suffix("\x80\x80\x80\x80") == 0);
}

TEST_CASE("utf8: control characters are C0, DEL and C1, not the continuation bytes of other characters") {
  CHECK_FALSE(has_control_characters("plain caf\xC3\xA9 \xE2\x9C\x93 \xC2\xA0"));
  for (const char* text : {"a\tb", "a\n", "\x1b[m", "\x7f", "x\xC2\x80", "\xC2\x9F"}) {
    CAPTURE(text);
    CHECK(has_control_characters(text));
  }
  CHECK(has_control_characters(std::string_view("\0", 1)));
}
