#include "text/ansi.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace terminally;

namespace {

struct Case {
  std::string bytes;
  std::string text;
};

/// Sequences that all leave nothing, put between an `a` and a `b`.
const std::vector<std::string> kVanishing = {
    // CSI
    "\x1b[m",
    "\x1b[0m",
    "\x1b[1;31m",
    "\x1b[38;5;196m",
    "\x1b[38;2;1;2;3m",
    "\x1b[4:3m",
    "\x1b[K",
    "\x1b[2K",
    "\x1b[1J",
    "\x1b[H",
    "\x1b[10;20H",
    "\x1b[10;20f",
    "\x1b[A",
    "\x1b[12B",
    "\x1b[3C",
    "\x1b[4D",
    "\x1b[E",
    "\x1b[F",
    "\x1b[5G",
    "\x1b[5`",
    "\x1b[5d",
    "\x1b[s",
    "\x1b[u",
    "\x1b[2S",
    "\x1b[2T",
    "\x1b[L",
    "\x1b[M",
    "\x1b[P",
    "\x1b[@",
    "\x1b[X",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[?2004h",
    "\x1b[?2026$p",
    "\x1b[>4;2m",
    "\x1b[>c",
    "\x1b[=1;1u",
    "\x1b[<u",
    "\x1b[!p",
    "\x1b[2 q",
    "\x1b[6n",
    "\x1b[1;24r",
    "\x1b[200~",
    "\x1b[\x07m",
    "\x1b[3\r1m",
    "\x1b[0123456789;0123456789;0123456789;0123456789m",
    // OSC, by BEL and by ST
    "\x1b]0;title\x07",
    "\x1b]0;title\x1b\\",
    "\x1b]2;caf\xC3\xA9 \xE2\x9C\x9C\x07",
    "\x1b]7;file://host/tmp\x1b\\",
    "\x1b]8;;https://example.org\x1b\\",
    "\x1b]8;;\x1b\\",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x1b]133;A\x07",
    "\x1b]133;C;mcp=START:0123456789abcdef\x07",
    "\x1b]133;D;0;mcp=END:0123456789abcdef\x07",
    "\x1b]11;?\x1b\\",
    "\x1b]\x07",
    "\x1b]0;a\tb\rc\x07",
    "\x1b]0;t\xC2\x9C",
    "\x1b]0;bad \xFF\xC3 utf8\x07",
    // DCS, SOS, PM, APC, screen's title
    "\x1bP1$r0m\x1b\\",
    "\x1bPq#0;2;0;0;0~~@@\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1bP\x07 not the end\x1b\\",
    "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\",
    "\x1bXsos\x1b\\",
    "\x1b^privacy\x1b\\",
    "\x1b_Gf=100;AAAA\x1b\\",
    "\x1bktitle\x1b\\",
    "\x1bPq\xC2\x9C",
    // two bytes, and with intermediates
    "\0337",
    "\0338",
    "\033c",
    "\033D",
    "\033E",
    "\033M",
    "\033H",
    "\x1b=",
    "\x1b>",
    "\x1b\\",
    "\x1bN",
    "\x1bn",
    "\x1b(B",
    "\x1b(0",
    "\x1b)0",
    "\x1b#8",
    "\x1b%G",
    "\x1b $ F",
    "\x1b F",
    "\x1b-A",
    "\x1b\x1b[m",
    "\x1b\x1b\x1b(B",
    // C0, DEL
    "\r",
    "\x07",
    "\b",
    "\v",
    "\f",
    "\x0e",
    "\x0f",
    "\x7f",
    "\x01",
    "\x1a",
    "\x18",
    "\x1c",
    "\x05",
    std::string("\0", 1),
    // C1 in UTF-8
    "\xC2\x80",
    "\xC2\x85",
    "\xC2\x84",
    "\xC2\x8D",
    "\xC2\x9C",
    "\xC2\x9F apc\xC2\x9C",
    "\xC2\23331m",
    "\xC2\2332K",
    "\xC2\2350;title\x07",
    "\xC2\x90q\x1b\\",
    "\xC2\x98sos\xC2\x9C",
    "\xC2\x9Epm\x1b\\",
    // given up by CAN, SUB or another sequence
    "\x1b[31\x18",
    "\x1b]0;ti\x1a",
    "\x1b\x18",
    "\x1b[31\x1b[0m",
    "\x1b]0;ti\x1b[0m",
    "\x1b]0;t\xC2\2330m",
};

std::vector<Case> corpus() {
  std::vector<Case> cases;
  cases.reserve(std::size(kVanishing));
  for (const std::string& sequence : kVanishing) {
    cases.push_back({"a" + sequence + "b", "ab"});
  }
  const std::vector<Case> more = {
      {"", ""},
      {"plain\n", "plain\n"},
      {"a\tb\r\n\r\nc\r", "a\tb\n\nc"},
      {"caf\xC3\xA9 \xE2\x82\xAC \xE6\xBC\xA2 \xF0\x9F\x98\x80 e\xCC\x81",
       "caf\xC3\xA9 \xE2\x82\xAC \xE6\xBC\xA2 \xF0\x9F\x98\x80 e\xCC\x81"},
      {"\x1b[1m\xE2\x9C\x93\x1b[0m", "\xE2\x9C\x93"},
      {"\xE2\x9B\x9B", "\xE2\x9B\x9B"},          // 9B is a continuation byte here, not CSI
      {"\xC2\xA0\xC2\xB5", "\xC2\xA0\xC2\xB5"},  // just above C1
      // not UTF-8
      {"a\x9B"
       "31mb",
       "a\xEF\xBF\xBD"
       "31mb"},
      {"\xFF", "\xEF\xBF\xBD"},
      {"\xE2\x82", "\xEF\xBF\xBD"},
      {"\xE2\x82\x1b[m\xAC", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xC2\x1b[m\x9B"
       "31m",
       "\xEF\xBF\xBD\xEF\xBF\xBD"
       "31m"},  // stripping must not put a C1 together
      {"\xC2\x07\x9B", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xE2\xC2\x9B"
       "1mx",
       "\xEF\xBF\xBDx"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      // a newline ends whatever is open and stays
      {"a\x1b]0;title\nb", "a\nb"},
      {"a\x1b]0;title\r\nb\x07", "a\nb"},
      {"a\x1bPq\nb", "a\nb"},
      {"a\x1b_x\nb", "a\nb"},
      {"a\x1b[31\nmb", "a\nmb"},
      {"a\x1b\nb", "a\nb"},
      {"a\x1b(\nb", "a\nb"},
      {"a\xC2\nb", "a\xEF\xBF\xBD\nb"},
      // text beyond ASCII ends what is not a string
      {"a\x1b\xE2\x82\xAC"
       "b",
       "a\xE2\x82\xAC"
       "b"},
      {"a\x1b[3\xE2\x82\xAC"
       "b",
       "a\xE2\x82\xAC"
       "b"},
      {"a\x1b[3\xFF"
       "b",
       "a\xEF\xBF\xBD"
       "b"},
      // obeyed inside of a sequence, as terminals do
      {"a\x1b[3\t1mb", "a\tb"},
      // unfinished at the end
      {"a\x1b", "a"},
      {"a\x1b[31", "a"},
      {"a\x1b]0;title", "a"},
      {"a\x1b]0;title\x1b", "a"},
      {"a\x1b]0;t\xC3", "a"},
      {"a\x1b(", "a"},
      {"a\x1b[\xC3", "a\xEF\xBF\xBD"},
  };
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

/// Stripped in the pieces that `cuts` (ascending offsets) make.
std::string strip_pieces(std::string_view bytes, const std::vector<std::size_t>& cuts) {
  AnsiStripper stripper;
  std::string out;
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    stripper.feed(bytes.substr(from, cut - from), out);
    from = cut;
  }
  stripper.feed(bytes.substr(from), out);
  stripper.finish(out);
  return out;
}

bool is_clean(std::string_view text) {
  std::string others;
  for (const char c : text) {
    if (c != '\t' && c != '\n') {
      others += c;
    }
  }
  return is_valid_utf8(text) && !has_control_characters(others);
}

/// Bytes that parsers trip over, mixed at random.
std::string random_stream(std::mt19937& random, std::size_t pieces) {
  static const std::vector<std::string> alphabet = {"a",        "Z",        "0",
                                                    ";",        "?",        " ",
                                                    "~",        "m",        "[",
                                                    "]",        "P",        "_",
                                                    "\\",       "k",        "(",
                                                    "\x1b",     "\x1b[",    "\x1b]",
                                                    "\x1bP",    "\x07",     "\x18",
                                                    "\r",       "\n",       "\t",
                                                    "\b",       "\x7f",     "\xC2",
                                                    "\x9B",     "\x9C",     "\x9D",
                                                    "\xC2\x9B", "\xC2\x9C", "\xE2\x82\xAC",
                                                    "\xE2",     "\x82",     "\xF0\x9F\x98\x80",
                                                    "\xF0\x9F", "\xFF",     "\xED\xA0"};
  std::string stream;
  while (pieces-- > 0) {
    stream += alphabet[random() % alphabet.size()];
  }
  return stream;
}

std::vector<std::size_t> random_cuts(std::mt19937& random, std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = random() % 8; at < size; at += random() % 8) {
    cuts.push_back(at);
  }
  return cuts;
}

}  // namespace

TEST_CASE("H3, T6, T16: every control sequence is stripped, and nothing else") {
  const std::vector<Case> cases = corpus();
  CHECK(cases.size() >= 100);
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(strip_ansi(c.bytes) == c.text);
  }
}

TEST_CASE("T16, R25: any split of the stream gives the same text") {
  std::mt19937 random(20240607);  // NOLINT(bugprone-random-generator-seed): the same streams in every run
  for (const Case& c : corpus()) {
    CAPTURE(c.bytes);
    std::vector<std::size_t> every_byte;
    for (std::size_t split = 0; split <= c.bytes.size(); ++split) {
      CHECK(strip_pieces(c.bytes, {split}) == c.text);
      every_byte.push_back(split);
    }
    CHECK(strip_pieces(c.bytes, every_byte) == c.text);
    for (int i = 0; i < 20; ++i) {
      CHECK(strip_pieces(c.bytes, random_cuts(random, c.bytes.size())) == c.text);
    }
  }
}

TEST_CASE(
    "ansi: what is stripped is clean, stays the same when stripped again, and can be stripped line by line") {
  std::mt19937 random(42);  // NOLINT(bugprone-random-generator-seed): the same streams in every run
  for (int i = 0; i < 4000; ++i) {
    const std::string stream = random_stream(random, random() % 60);
    CAPTURE(stream);
    const std::string text = strip_ansi(stream);
    REQUIRE(is_clean(text));
    REQUIRE(strip_ansi(text) == text);
    REQUIRE(text.size() <= 3 * stream.size());
    REQUIRE(strip_pieces(stream, random_cuts(random, stream.size())) == text);

    std::string by_line;
    std::size_t from = 0;
    for (std::size_t end = stream.find('\n'); end != std::string::npos; end = stream.find('\n', from)) {
      by_line += strip_ansi(std::string_view(stream).substr(from, end + 1 - from));
      from = end + 1;
    }
    REQUIRE(by_line + strip_ansi(std::string_view(stream).substr(from)) == text);
  }
}

TEST_CASE("ansi: a string that is never closed hides at most 4 KB and a little") {
  for (const char* introducer : {"\x1b]0;", "\x1bP", "\x1b_G", "\x1bX", "\x1b^", "\x1b[", "\xC2\x9D"}) {
    CAPTURE(introducer);
    const std::string payload(10'000, *introducer == '\x1b' && introducer[1] == '[' ? '1' : 'x');
    const std::string stream = "before" + (introducer + payload) + "\nafter";
    const std::string text = strip_ansi(stream);
    const std::string hidden = introducer + payload;
    CHECK(text == "before" + hidden.substr(kMaxSequenceBytes) + "\nafter");
    for (const std::size_t split :
         {std::size_t{6}, kMaxSequenceBytes, kMaxSequenceBytes + 6, kMaxSequenceBytes + 7}) {
      CHECK(strip_pieces(stream, {split}) == text);
    }
  }
  // What image protocols put into one string fits.
  CHECK(strip_ansi("\x1b_Gm=1;" + std::string(4096, 'A') + "\x1b\\.") == ".");
  // Also where the limit falls into a character: the whole character is text, or none of it.
  for (std::size_t fill = kMaxSequenceBytes - 6; fill < kMaxSequenceBytes; ++fill) {
    const std::string stream = "\x1b]" + std::string(fill, 'x') + "\xE2\x82\xAC\xE2\x82\xAC!";
    const std::string text = strip_ansi(stream);
    CAPTURE(fill);
    CHECK(is_clean(text));
    CHECK(text.find(kReplacementCharacter) == std::string::npos);
    for (std::size_t split = fill; split <= stream.size(); ++split) {
      CHECK(strip_pieces(stream, {split}) == text);
    }
  }
}

TEST_CASE("T9, R25: chunks cut by safe_cut can be stripped one by one") {
  std::vector<Case> cases = corpus();
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same streams in every run
  for (int i = 0; i < 1000; ++i) {
    const std::string stream = random_stream(random, 30);
    cases.push_back({stream, strip_ansi(stream)});
  }
  for (const Case& c : cases) {
    const std::string_view stream = c.bytes;
    for (std::size_t size = 0; size <= stream.size(); ++size) {
      CAPTURE(stream);
      CAPTURE(size);
      const std::size_t cut = safe_cut(stream.substr(0, size), false);
      REQUIRE(cut <= size);
      if (cut > 0) {
        REQUIRE(strip_ansi(stream.substr(0, cut)) + strip_ansi(stream.substr(cut)) == c.text);
      }
      const std::size_t full = safe_cut(stream.substr(0, size), true);
      REQUIRE((full > 0) == (size > 0));
      REQUIRE((cut == 0 || full == cut));
    }
  }
}

TEST_CASE("T9: safe_cut takes as much as it can and always gets on") {
  CHECK(safe_cut("abc", false) == 3);
  CHECK(safe_cut("abc\xE2\x82", false) == 3);
  CHECK(safe_cut("abc\x1b[3", false) == 3);
  CHECK(safe_cut("abc\x1b]0;t\x1b", false) == 3);  // not between a string and its terminator
  CHECK(safe_cut("a\x1b[m\x1b[", false) == 4);
  CHECK(safe_cut("ab\n\x1b[", false) == 3);
  CHECK(safe_cut("", true) == 0);
  CHECK(safe_cut("\x1b]0;ti", false) == 0);
  CHECK(safe_cut("\x1b]0;ti", true) == 6);
  CHECK(safe_cut("\x1b]0;\xC3", true) == 4);
  CHECK(safe_cut("\xF0\x9F", false) == 0);
  CHECK(safe_cut("\xF0\x9F", true) == 2);
  const std::string endless = "\x1b]52;c;" + std::string(100'000, 'A');
  CHECK(safe_cut(endless, false) == endless.size());  // after 4 KB it is text
  CHECK(safe_cut(std::string_view(endless).substr(0, 4096), false) == 0);
}

TEST_CASE("ansi: a stripper that was finished starts anew") {
  AnsiStripper stripper;
  std::string out;
  for (const char* unfinished : {"a\x1b]0;t", "b\x1b[3", "c\xE2\x82"}) {
    stripper.feed(unfinished, out);
    stripper.finish(out);
    CHECK(stripper.unfinished_bytes() == 0);
  }
  stripper.feed("d", out);
  CHECK(out ==
        "abc\xEF\xBF\xBD"
        "d");
}
