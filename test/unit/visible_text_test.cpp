#include "text/visible_text.hpp"

#include <doctest/doctest.h>

#include "base/utf8.hpp"

using namespace terminally;

namespace {

std::string utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) {
    append_utf8(text, c);
  }
  return text;
}

}  // namespace

TEST_CASE("hygiene: ordinary writing stays as it is") {
  for (const std::u32string_view text : {
           U"plain text\twith tab\nand lines",
           U"Grüße, 你好, привет, שלום, مرحبا",
           U"👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 ❤️ 1️⃣ ©️ 👍🏿 🇩🇪",
           U"می‌خواهم",          // Persian, non-joiner
           U"क्‍ष न्‌ह",  // Devanagari, joiner and non-joiner
           U"ന്‍",                  // Malayalam: a joiner ends the word
           U"ශ්‍රී",            // Sinhala
           U"葛\U000E0100城",             // a registered variant of an ideograph
           U"é",                          // combining accent
           U"├── ▓▓░░ ⠋ ✓ →",
       }) {
    CHECK(visible_text(utf8(text)) == utf8(text));
  }
}

TEST_CASE("hygiene: what is not seen is shown") {
  CHECK(visible_text(utf8(U"a\u202Eb")) == utf8(U"a⟨U+202E⟩b"));
  CHECK(visible_text("a\x1b[31m\r\x7f") == utf8(U"a⟨U+001B⟩[31m⟨U+000D⟩⟨U+007F⟩"));
  CHECK(visible_text(utf8(U"\U000E0041\U000E007F")) == utf8(U"⟨U+E0041⟩⟨U+E007F⟩"));
  CHECK(visible_text(utf8(U"pass\u200Bword a\u200Db a\u200Cb")) ==
        utf8(U"pass⟨U+200B⟩word a⟨U+200D⟩b a⟨U+200C⟩b"));
  CHECK(visible_text(utf8(U"😀\uFE0F\uFE0F")) == utf8(U"😀\uFE0F⟨U+FE0F⟩"));
  CHECK(visible_text(utf8(U"a\uFE0F")) == utf8(U"a⟨U+FE0F⟩"));
  CHECK(visible_text(utf8(U"😀\U000E0150\U000E0151")) == utf8(U"😀⟨U+E0150⟩⟨U+E0151⟩"));
  CHECK(visible_text(utf8(U"\u2066x\u2069 \u200Ey\uFEFFz\u00AD\u2028")) ==
        utf8(U"⟨U+2066⟩x⟨U+2069⟩ ⟨U+200E⟩y⟨U+FEFF⟩z⟨U+00AD⟩⟨U+2028⟩"));
  CHECK(visible_text("\xC2\x9B"
                     "31m \xff") == utf8(U"⟨U+009B⟩31m \uFFFD"));
}

TEST_CASE("hygiene: every split gives the same text, and twice is once") {
  const std::string text =
      utf8(U"a👩🏽‍💻‍x می‌خواهم\u202E\u200D\u200D❤️\uFE0F ക്‍ end\u200D") +
      "\xF0\x9F";
  const std::string whole = visible_text(text);
  CHECK(visible_text(whole) == whole);
  for (std::size_t split = 0; split <= text.size(); ++split) {
    VisibleText visible;
    std::string out;
    visible.feed(std::string_view(text).substr(0, split), out);
    visible.feed(std::string_view(text).substr(split), out);
    visible.finish(out);
    CHECK(out == whole);
  }
}

TEST_CASE("hygiene: of all characters, none is left that is a control or has no width") {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
    const bool bidi = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool unseen = (c >= 0x200B && c <= 0x200F) || (c >= 0xE0000 && c <= 0xE0FFF);
    if (control || bidi || unseen) {
      std::string text = "a";
      append_utf8(text, c);
      text += "b";
      REQUIRE(visible_text(text) != text);
    }
  }
}
