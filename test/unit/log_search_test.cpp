// PatternScan over any split, LogSearch and its answers over logs on disk.
#include "log/log_search.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "json/json_reader.hpp"
#include "log/log_record.hpp"
#include "temp_files.hpp"
#include "text/ansi.hpp"

using namespace terminally;
using test::append_to;
using test::content_of;
using test::TempDir;

namespace {

struct Hit {
  std::uint64_t byte = 0;
  std::uint64_t line_begin = 0;
  std::uint64_t line_end = 0;
  std::string text;
  std::string matched;

  bool operator==(const Hit&) const = default;
};

constexpr auto kNoTime = Clock::time_point::min();

void take_hits(PatternScan& scan, std::vector<Hit>& hits, bool with_unfinished) {
  for (;;) {
    switch (scan.next(kNoTime)) {
      case PatternScan::Step::needs_more:
        return;
      case PatternScan::Step::out_of_time:
        break;
      case PatternScan::Step::found: {
        const LineMatch& m = scan.found();
        if (!m.unfinished || with_unfinished) {
          hits.push_back({m.byte, m.line_begin, m.line_end, m.text, std::string(m.matched())});
        }
        if (m.unfinished) {
          return;
        }
      }
    }
  }
}

std::vector<Hit> hits_of(const std::string& regex, const std::vector<std::string>& parts,
                         std::uint64_t from = 0) {
  Pattern pattern(regex);
  PatternScan scan(pattern, 0, from);
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    scan.feed(parts[i]);
    take_hits(scan, hits, i + 1 == parts.size());
  }
  return hits;
}

struct Line {
  std::size_t at = 0;
  std::string bytes;
  std::string text;
  std::size_t next = 0;
};

std::vector<Line> lines_of(const std::string& bytes) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < bytes.size(); at = lines.back().next) {
    const std::size_t newline = bytes.find('\n', at);
    std::string line = bytes.substr(at, std::min(newline, bytes.size()) - at);
    std::string text = strip_ansi(line);
    lines.push_back(
        {at, std::move(line), std::move(text), newline == std::string::npos ? bytes.size() : newline + 1});
  }
  return lines;
}

/// The obvious way: line by line, the text of each, the raw offset by stripping ever longer beginnings.
std::vector<Hit> naive(const std::string& regex, const std::vector<Line>& lines) {
  Pattern pattern(regex);
  std::vector<Hit> hits;
  for (const auto& [at, line, text, next] : lines) {
    if (const auto match = pattern.find({.text = text})) {
      std::size_t raw = 0;
      for (std::string before; raw < line.size() && !text.empty(); ++raw) {
        AnsiStripper stripper;
        before.clear();
        stripper.feed(line.substr(0, raw + 1), before);
        if (before.size() > match->begin) {
          raw -= before.size() - match->begin - 1;  // the other bytes of this character
          break;
        }
        if (before.size() == text.size()) {
          ++raw;
          break;
        }
      }
      hits.push_back({at + raw, at, next, text, text.substr(match->begin, match->end - match->begin)});
    }
  }
  return hits;
}

const std::string kLog =
    "plain one\r\nplain two\r\n\x1b[31mre\x1b[1md\x1b[0m two\r\n\r\n"
    "\x1b]0;two title\x07gr\xC3\xBC"
    "n tw\x1b[mo \xE2\x9C\x93\r\nlast\xFF two\ntab\ttwo\rback\r\n"
    "one two three\r\n\x1b[2Kunfinished tw\x1b[1mo";

std::vector<std::string> cut(const std::string& bytes, const std::vector<std::size_t>& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (const std::size_t end : at) {
    parts.push_back(bytes.substr(begin, end - begin));
    begin = end;
  }
  parts.push_back(bytes.substr(begin));
  return parts;
}

}  // namespace

TEST_CASE("pattern scan: every split finds the same lines, at raw offsets") {
  for (const std::string regex : {"two", "^red two$", "gr.n two .$", "w.*o", "\\btwo\\b", "(?<=e )two", "^$",
                                  "[^x]*\\z", "o\\s*$", "[^q]+two"}) {
    CAPTURE(regex);
    const std::vector<Hit> expected = naive(regex, lines_of(kLog));
    CHECK(expected.size() >= 1);
    CHECK(hits_of(regex, {kLog}) == expected);
    for (std::size_t i = 0; i <= kLog.size(); ++i) {
      CAPTURE(i);
      CHECK(hits_of(regex, cut(kLog, {i})) == expected);
    }
    std::vector<std::size_t> everywhere(kLog.size() - 1);
    for (std::size_t i = 0; i < everywhere.size(); ++i) {
      everywhere[i] = i + 1;
    }
    CHECK(hits_of(regex, cut(kLog, everywhere)) == expected);
  }
}

TEST_CASE("pattern scan: the byte is the match's own, between escape sequences") {
  const auto hits = hits_of("two", {kLog});
  REQUIRE(hits.size() == 7);
  for (const Hit& hit : hits) {
    CHECK(kLog.substr(static_cast<std::size_t>(hit.byte), 2) == "tw");
  }
}

TEST_CASE("pattern scan: many lines at once give what each line alone gives") {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"foo", "bar",      "foo bar",           "",          "x",
                                          "  ",  "foobar\t", "\x1b[1mfoo\x1b[0m", "f\xC3\xB6o"};
  for (int round = 0; round < (TERMINALLY_SANITIZED != 0 ? 4 : 20); ++round) {
    std::string log;
    const int odd = round % 4 == 0 ? 0 : 2;
    while (log.size() < 40'000) {  // two and a half of what is searched at once
      log += words[random() % (words.size() - (odd == 0 || random() % 50 != 0 ? 2 : 0))];
      log += random() % 3 == 0 ? "\r\n" : " ";
      if (random() % 2'000 == 0) {
        log += std::string(3'000, 'y');
      }
    }
    log += '\n';
    const std::vector<Line> lines = lines_of(log);
    for (const std::string regex : {"foo", "foo$", "^bar", "o\\s+b", "[^o]*bar", "^\\s*$", "x\\s*$",
                                    "foo.*bar", "nothing", "\\n", "\\D*x$"}) {
      CAPTURE(regex);
      CAPTURE(round);
      const bool same = hits_of(regex, {log.substr(0, 18'000), log.substr(18'000)}) == naive(regex, lines);
      CHECK(same);
    }
  }
}

TEST_CASE("pattern scan: matches before `from` are passed over, also within their line") {
  const std::string log = "\x1b[1mtwo\x1b[0m two\r\ntwo\r\n";
  const auto bytes = [&](std::uint64_t from) {
    std::vector<std::uint64_t> places;
    for (const Hit& hit : hits_of("two", {log}, from)) {
      places.push_back(hit.byte);
    }
    return places;
  };
  CHECK(bytes(0) == std::vector<std::uint64_t>{4, 17});
  CHECK(bytes(4) == std::vector<std::uint64_t>{4, 17});
  CHECK(bytes(5) == std::vector<std::uint64_t>{12, 17});
  CHECK(bytes(13) == std::vector<std::uint64_t>{17});
  CHECK(bytes(18).empty());
}

TEST_CASE("pattern scan: a line without end is searched in pieces that overlap") {
  for (const std::string filling : {"x", "\x1b[1mx", "\xC3\xA4"}) {
    CAPTURE(filling);
    std::string line;
    std::vector<std::uint64_t> places;
    for (const std::size_t place : {10U, 65'530U, 65'536U, 131'000U, 200'000U, 262'140U}) {
      while (line.size() < place) {
        line += filling;
      }
      places.push_back(line.size());
      line += "needle";
    }
    line += "\r\nnext needle\r\n";
    places.push_back(line.size() - 8);
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < line.size(); at += 1'000) {
      parts.push_back(line.substr(at, 1'000));
    }
    for (const auto& hits : {hits_of("needle", {line}), hits_of("needle", parts)}) {
      std::vector<std::uint64_t> found;
      for (const Hit& hit : hits) {
        found.push_back(hit.byte);
        CHECK(hit.text.size() < 200'000);
      }
      CHECK(found.size() + 1 >= places.size());  // two of one piece are one line
      for (const std::uint64_t byte : found) {
        CHECK(std::find(places.begin(), places.end(), byte) != places.end());
      }
      CHECK(found.back() == places.back());
    }
    CHECK(hits_of("^needle|needle$", {line}).size() == 2);  // `^` and `$` are not at the borders of pieces
  }
}

TEST_CASE("pattern scan: a slow pattern does not hold the caller long") {
  Pattern pattern("(?:\\w\\w)+\\d");
  PatternScan scan(pattern, 0, 0);
  scan.feed(std::string(20'000, 'a') + "\n");
  int slices = 0;
  PatternScan::Step step = PatternScan::Step::out_of_time;
  while (step == PatternScan::Step::out_of_time) {
    step = scan.next(Clock::now() + Milliseconds(3));
    ++slices;
  }
  CHECK(step == PatternScan::Step::needs_more);
  CHECK(slices > 3);
}

TEST_CASE("pattern scan: an unfinished line is looked at as it grows, and says that the match may grow") {
  Pattern pattern("port \\d+");
  PatternScan scan(pattern, 100, 0);
  scan.feed("listening on por");
  CHECK(scan.next(kNoTime) == PatternScan::Step::needs_more);
  scan.feed("t 80");
  REQUIRE(scan.next(kNoTime) == PatternScan::Step::found);
  CHECK(scan.found().matched() == "port 80");
  CHECK(scan.found().may_grow());
  CHECK(scan.found().byte == 113);
  scan.feed("00 now");
  REQUIRE(scan.next(kNoTime) == PatternScan::Step::found);
  CHECK(scan.found().matched() == "port 8000");
  CHECK_FALSE(scan.found().may_grow());
  CHECK(scan.found().unfinished);
  CHECK(scan.offset() == 100);
}

namespace {

FoundLines search(const PaneLog& log, const SearchLogs& request) {
  Pattern pattern(request.pattern, {.ignore_case = request.ignore_case});
  LogSearch search(log, pattern, request.from_byte);
  FoundLinesWriter writer(log, request);
  const std::uint64_t end = log.end();
  for (;;) {
    const auto step = search.next(end, kNoTime);
    if (step == LogSearch::Step::at_end ||
        (step == LogSearch::Step::found &&
         (!writer.add(search.found()) || writer.full() || search.found().unfinished))) {
      return writer.finish();
    }
  }
}

std::string shown(const FoundLines& found) {
  std::string text;
  for (const FoundLine& match : found.matches) {
    for (const std::string& line : match.before) {
      text += "-" + line + "\n";
    }
    text += std::to_string(match.byte) + ":" + match.line + "\n";
    for (const std::string& line : match.after) {
      text += "-" + line + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("log search: lines around a match stand in the answer once") {
  const TempDir directory;
  const PaneLog log(directory / "log");
  append_to(log.path(), "1\r\n2\r\n\x1b[1m3x\x1b[0m\r\n4\r\n5x\r\n6\r\n7\r\n8\r\n9\r\n10x\r\n11");
  SearchLogs request{.window_id = {}, .pattern = "x"};
  CHECK(shown(search(log, request)) == "-1\n-2\n11:3x\n-4\n22:5x\n-6\n-7\n-8\n-9\n39:10x\n-11\n");
  request.context_lines = 0;
  CHECK(shown(search(log, request)) == "11:3x\n22:5x\n39:10x\n");
  request.max_matches = 1;
  request.context_lines = 1;
  request.from_byte = 22;
  CHECK(shown(search(log, request)) == "-4\n22:5x\n-6\n");
  request.from_byte = 23;
  CHECK(shown(search(log, request)) == "-9\n39:10x\n-11\n");
  request.pattern = "11$";
  CHECK(shown(search(log, request)) == "-10x\n42:11\n");
}

TEST_CASE("log search: an answer is bounded, and its long lines are cut around the match") {
  const TempDir directory;
  const PaneLog log(directory / "log");
  std::string bytes;
  for (int i = 0; i < 500; ++i) {
    bytes += std::string(3'000, 'a') + "needle" + std::string(3'000, '"') + "\n";
  }
  append_to(log.path(), bytes);
  const FoundLines found = search(log, {.window_id = {}, .pattern = "needle", .max_matches = 1'000});
  std::size_t size = 0;
  for (const FoundLine& match : found.matches) {
    CHECK(match.line.find("needle") != std::string::npos);
    CHECK(match.line.size() < 1'010);
    size += json_size(match.line);
  }
  CHECK(found.matches.size() > 20);
  CHECK(size <= FoundLinesWriter::kMostBytes);
}

TEST_CASE("log search: goes on behind bytes that are missing, and does not join what is around them") {
  const TempDir directory;
  const PaneLog log(directory / "log");
  const auto record = [&](LogRecord::Kind kind, std::uint64_t offset, std::uint64_t position) {
    const auto line = encode({.kind = kind, .offset = offset, .position = position, .time_ms = 0});
    append_to(log.path().string() + std::string(kLogSidecarSuffix), {line.data(), line.size()});
  };
  record(LogRecord::Kind::start, 0, 0);
  append_to(log.path(), "one\ntw");
  record(LogRecord::Kind::gap, 106, 6);
  append_to(log.path(), "o two\n");
  CHECK(shown(search(log, {.window_id = {}, .pattern = "two", .context_lines = 0})) == "108:o two\n");
  CHECK(shown(search(log, {.window_id = {}, .pattern = "tw$", .context_lines = 0})) == "4:tw\n");
}

TEST_CASE("log search: lines around a match next to bytes that are missing are whole ones") {
  const TempDir directory;
  const PaneLog log(directory / "log");
  const auto record = [&](LogRecord::Kind kind, std::uint64_t offset, std::uint64_t position) {
    const auto line = encode({.kind = kind, .offset = offset, .position = position, .time_ms = 0});
    append_to(log.path().string() + std::string(kLogSidecarSuffix), {line.data(), line.size()});
  };
  record(LogRecord::Kind::start, 100'000, 0);
  append_to(log.path(), "e\n2\n3x\n4\n5");
  record(LogRecord::Kind::gap, 200'000, 10);
  append_to(log.path(), "f\n7\n8x\n9\nthere x\n");
  const std::string far = "-2\n100004:3x\n-4\n-5\n";
  CHECK(shown(search(log, {.window_id = {}, .pattern = "3x"})) == far);
  CHECK(shown(search(log, {.window_id = {}, .pattern = "8x", .context_lines = 3})) ==
        "-7\n200004:8x\n-9\n-there x\n");
  CHECK(shown(search(log, {.window_id = {}, .pattern = "[0-9]x|there"})) ==
        far + "-7\n200004:8x\n-9\n200009:there x\n");
  CHECK(shown(search(log, {.window_id = {}, .pattern = "^x", .from_byte = 200'013})).empty());
}

TEST_CASE(
    "log search: a match where the log ends is found again with what has come since, and once more with its "
    "end") {
  const TempDir dir;
  const PaneLog log(dir / "log");
  Pattern pattern("on [0-9]+");
  LogSearch search(log, pattern, 0);
  const auto next = [&] { return search.next(log.end(), Clock::now() + Milliseconds(5'000)); };
  append_to(dir / "log", "one\r\nready on 80");
  for (const std::string more : {"", "80", "", "9"}) {
    append_to(dir / "log", more);
    REQUIRE(next() == LogSearch::Step::found);
    CHECK(search.found().matched() == content_of(dir / "log").substr(11));
    CHECK(search.found().may_grow());
  }
  append_to(dir / "log", "\r\nand on 1\r\n");
  REQUIRE(next() == LogSearch::Step::found);
  CHECK(search.found().matched() == "on 80809");
  CHECK_FALSE(search.found().may_grow());
  REQUIRE(next() == LogSearch::Step::found);
  CHECK(search.found().matched() == "on 1");
  CHECK(next() == LogSearch::Step::at_end);
}

TEST_CASE("log search: an answer is bounded with the lines around its matches, too (V3)") {
  const TempDir directory;
  const PaneLog log(directory / "log");
  std::string bytes;
  for (int i = 0; i < 500; ++i) {
    bytes += "needle\n" + std::string(900, 'a') + "\n" + std::string(900, 'b') + "\n";
  }
  append_to(log.path(), bytes);
  for (const std::uint64_t context : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{20}}) {
    CAPTURE(context);
    const FoundLines found =
        search(log, {.window_id = {}, .pattern = "needle", .context_lines = context, .max_matches = 1'000});
    std::size_t size = 0;
    for (const FoundLine& match : found.matches) {
      size += json_size(match.line);
      for (const auto* around : {&match.before, &match.after}) {
        for (const std::string& line : *around) {
          size += json_size(line);
        }
      }
    }
    CHECK(found.matches.size() > 1);
    CHECK(size <= FoundLinesWriter::kMostBytes);
  }
}
