#include "log/recording.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "log/log_record.hpp"
#include "temp_files.hpp"
#include "text/playback.hpp"

using namespace terminally;
using test::append_to;
using test::TempDir;

namespace {

LogTimes times_of(const std::vector<TimeRecord>& records) {
  std::string bytes;
  for (const TimeRecord& record : records) {
    const TimeRecordBytes one = encode(record);
    bytes.append(one.data(), one.size());
  }
  return LogTimes(bytes);
}

using Played = std::vector<std::pair<int, std::string>>;

Played play(const PaneLog& log, const LogTimes& times, std::uint64_t from = 0) {
  Recording recording(log, times, from);
  Played played;
  while (const auto piece = recording.next()) {
    played.emplace_back(static_cast<int>(piece->wait.count()), piece->bytes);
  }
  return played;
}

std::string filtered(const std::vector<std::string>& pieces) {
  PlaybackFilter filter;
  std::string out;
  for (const std::string& piece : pieces) {
    filter.feed(piece, out);
  }
  filter.finish(out);
  return out;
}

}  // namespace

TEST_CASE("recording: the bytes between two records come together, after the time between them") {
  const TempDir directory;
  append_to(directory / "log", "onetwothree");
  const PaneLog log(directory / "log");
  const LogTimes times = times_of({{0, 1'000}, {3, 1'250}, {6, 61'250}});
  CHECK(play(log, times) == Played{{0, "one"}, {250, "two"}, {60'000, "three"}});
  CHECK(play(log, times, 3) == Played{{0, "two"}, {60'000, "three"}});
  CHECK(play(log, times, 4) == Played{{0, "wo"}, {60'000, "three"}});
  CHECK(play(log, times, 11).empty());
  CHECK(Recording(log, times, 4).began_at() == 1);
  CHECK(Recording(log, times, 6).began_at() == 61);
}

TEST_CASE("recording: a clock that was set back, an index that begins late or is ahead, and none at all") {
  const TempDir directory;
  append_to(directory / "log", "onetwothree");
  const PaneLog log(directory / "log");
  CHECK(play(log, times_of({{0, 9'000}, {3, 1'000}, {6, 1'500}})) ==
        Played{{0, "one"}, {0, "two"}, {500, "three"}});
  CHECK(play(log, times_of({{3, 1'000}, {6, 1'500}, {90, 7'000}})) ==
        Played{{0, "one"}, {0, "two"}, {500, "three"}});
  CHECK(play(log, LogTimes("")) == Played{{0, "onetwothree"}});
  CHECK_FALSE(Recording(log).has_times());
  CHECK_FALSE(Recording(log).began_at());
}

TEST_CASE("recording: every byte once and in order, across the blocks that are read, and gaps counted") {
  const TempDir directory;
  std::string content;
  for (int i = 0; i < 40'000; ++i) {
    content += std::to_string(i) + "\n";
  }
  append_to(directory / "log", content);
  std::vector<TimeRecord> records;
  for (std::uint64_t i = 0; i * 997 < content.size(); ++i) {
    records.push_back({.offset = i * 997, .time_ms = 1 + i});
  }
  std::string seen;
  int waited = 0;
  for (const auto& [wait, bytes] : play(PaneLog(directory / "log"), times_of(records))) {
    seen += bytes;
    waited += wait;
    CHECK(bytes.size() <= 997);
  }
  CHECK(seen == content);
  CHECK(waited == static_cast<int>(records.size()) - 1);

  append_to(directory / "gap", "beforeafter");
  const LogRecordLine start = encode(LogRecord{LogRecord::Kind::start, 0, 0, 1});
  const LogRecordLine gap = encode(LogRecord{LogRecord::Kind::gap, 106, 6, 2});
  append_to(directory / "gap.index",
            std::string(start.data(), start.size()) + std::string(gap.data(), gap.size()));
  Recording recording(PaneLog(directory / "gap"), times_of({{0, 1'000}, {106, 3'000}}), 0);
  CHECK(recording.next()->bytes == "before");
  const auto after = recording.next();
  CHECK(after->bytes == "after");
  CHECK(after->gap_bytes == 100);
  CHECK(after->wait.count() == 2'000);
}

TEST_CASE("playback: what draws is played as it is, by any split") {
  const std::string drawn =
      "plain \xc3\xa9\xe4\xb8\x96\r\n\033[1;38;2;250;251;252;48;2;200;201;202mcolour\033[m\b\b\t\a"
      "\033[?1049h\033[2J\033[10;20H\033[?25l\033[2;5r\033M\0337\0338\033(0lqk\033(B\033[4 "
      "q\033[!p\033#8\033c";
  CHECK(filtered({drawn}) == drawn);
  for (std::size_t split = 0; split <= drawn.size(); ++split) {
    CAPTURE(split);
    CHECK(filtered({drawn.substr(0, split), drawn.substr(split)}) == drawn);
  }
}

TEST_CASE("playback: what would act on the viewer's terminal in another way is not played") {
  for (const char* sequence : {"\033[c",
                               "\033[>c",
                               "\033[6n",
                               "\033[?6n",
                               "\033[18t",
                               "\033[8;10;10t",
                               "\033[>q",
                               "\033[?u",
                               "\033[>1u",
                               "\033[?2026$p",
                               "\033[5i",
                               "\033[>4;2m",
                               "\033Z",
                               "\033%@",
                               "\005",
                               "\033]52;c;aGk=\a",
                               "\033]0;title\033\\",
                               "\033]8;;http://a\a",
                               "\033P$qm\033\\",
                               "\033_Gi=1\033\\",
                               "\033^x\033\\",
                               "\033kname\033\\",
                               "\033]133;D;0;mcp=END:0123456789abcdef0123456789abcdef\a",
                               "\302\23552;c;x\a"}) {
    CAPTURE(sequence);
    CHECK(filtered({std::string("a") + sequence + "b"}) == "ab");
  }
  CHECK(filtered({"a\xff\xe4\xb8"}) == "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("recording: what comes after it was begun is none of it (V1)") {
  const TempDir directory;
  append_to(directory / "log", "onetwo");
  for (const bool timed : {true, false}) {
    CAPTURE(timed);
    Recording recording(PaneLog(directory / "log"), timed ? times_of({{0, 1'000}, {3, 1'250}}) : LogTimes(""),
                        0);
    const std::string there = test::content_of(directory / "log");
    append_to(directory / "log", "late");
    std::string seen;
    while (const auto piece = recording.next()) {
      seen += piece->bytes;
    }
    CHECK(seen == there);
  }
}
