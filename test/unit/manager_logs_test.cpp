// Logs through the manager: read by line and by byte, searched, waited in. They are written here.
#include <doctest/doctest.h>

#include "json/json_reader.hpp"
#include "log/log_record.hpp"
#include "logged_tab.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::Failure;
using test::LoggedTab;

std::string lines_to(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += "line " + std::to_string(i) + "\r\n";
  }
  return text;
}

}  // namespace

TEST_CASE("manager logs: the last lines, and whether there were more") {
  LoggedTab scene(lines_to(5) + "unfinished");
  struct Case {
    std::uint64_t lines;
    std::string content;
    std::uint64_t returned;
    bool truncated;
  };
  for (const Case& one : std::vector<Case>{{1, "unfinished", 1, true},
                                           {2, "line 5\r\nunfinished", 2, true},
                                           {6, lines_to(5) + "unfinished", 6, false},
                                           {500, lines_to(5) + "unfinished", 6, false}}) {
    CAPTURE(one.lines);
    const LogLines found = scene.last(one.lines);
    CHECK(found.content == one.content);
    CHECK(found.returned_lines == one.returned);
    CHECK(found.truncated == one.truncated);
    CHECK(found.next_byte == lines_to(5).size() + 10);
    CHECK(found.notes.empty());
  }
  CHECK(scene.tmux->asked.empty());  // no tmux is needed for a log
  CHECK(scene.failure(scene.manager->output().read_lines(WindowId{8}, 5, {})).code == ErrorCode::not_found);
}

TEST_CASE("manager logs: rows that were drawn over are no lines of a rendered text, earlier ones come in") {
  std::string redraws = "first\r\nsecond\r\n";
  for (int i = 0; i < 50; ++i) {
    redraws += "\x1b[2K\r" + std::to_string(i) + " %\r\n\x1b[A";
  }
  LoggedTab scene(redraws + "\x1b[2K\rdone\r\n");
  TextView rendered;
  rendered.render = true;
  const LogLines found = scene.last(3, rendered);
  CHECK(found.content == "first\nsecond\ndone\n");
  CHECK(found.returned_lines == 3);
  TextView plain;
  plain.strip_ansi = true;
  CHECK(scene.last(1, plain).content.find('\x1b') == std::string::npos);
}

TEST_CASE("manager logs: an answer has 256 KiB at most, and they are the last ones") {
  LoggedTab scene(std::string(300 * 1'024, '"') + "\r\nend\r\n");
  const LogLines found = scene.last(500);
  CHECK(found.truncated);
  CHECK(json_size(found.content) <= 256 * 1'024);  // as it is sent
  CHECK(json_size(found.content) > 256 * 1'024 * 8 / 10);
  CHECK(found.content.ends_with("\r\nend\r\n"));
}

TEST_CASE("manager logs: a part by its bytes, cut between characters, and where to read on") {
  LoggedTab scene("aä\x1b[1mb\r\n");
  struct Case {
    std::uint64_t from;
    std::uint64_t most;
    std::string chunk;
    std::uint64_t next;
    bool eof;
  };
  for (const Case& one : std::vector<Case>{{0, 100, "aä\x1b[1mb\r\n", 10, true},
                                           {0, 1, "a", 1, false},
                                           {0, 2, "a", 1, false},  // not half of a character
                                           {0, 3, "aä", 3, false},
                                           {0, 5, "aä", 3, false},  // nor of a sequence
                                           {10, 100, "", 10, true}}) {
    CAPTURE(one.from);
    CAPTURE(one.most);
    ReadLogChunk request = scene.from(one.from);
    request.max_bytes = one.most;
    const LogChunk chunk = scene.run(scene.manager->output().read_chunk(request));
    CHECK(chunk.chunk == one.chunk);
    CHECK(chunk.next_byte == one.next);
    CHECK(chunk.eof == one.eof);
    CHECK(chunk.last == one.eof);  // it is closed
    CHECK_FALSE(chunk.gap_bytes);
  }
  ReadLogChunk exact = scene.from(2);
  exact.exact = true;
  exact.max_bytes = 2;
  const LogChunk bytes = scene.run(scene.manager->output().read_chunk(exact));
  CHECK(bytes.chunk == "\xa4\x1b");
  CHECK(bytes.next_byte == 4);
}

TEST_CASE("manager logs: an offset that this tab never told of is refused, with what to pass") {
  LoggedTab scene("12345");
  const Failure failure = scene.failure(scene.manager->output().read_chunk(scene.from(6)));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.text ==
        "from_byte: 6 is beyond the end of this tab's log, 5; offsets count what one tab has "
        "printed: pass a next_byte of this tab, or 0");
  CHECK(scene.run(scene.manager->output().read_chunk(scene.from(ReadLogChunk::kLogEnd))).next_byte == 5);
  SearchLogs search = scene.pattern("x");
  search.from_byte = 6;
  CHECK(scene.failure(scene.manager->output().search_logs(search)).text == failure.text);
  WaitFor wait = scene.until(Until::pattern, 10);
  wait.waiting.pattern = "x";
  wait.from_byte = 6;
  CHECK(scene.failure(scene.manager->output().wait_for(wait)).text == failure.text);
}

TEST_CASE(
    "manager logs: what comes from now on begins behind what was printed and is not in the log yet (V5)") {
  LoggedTab scene("12345");
  const auto waiting =
      encode({.kind = LogRecord::Kind::waiting, .offset = 19, .position = 12, .time_ms = 1, .error = 28});
  test::append_to(scene.log_of(scene.tab).string() + std::string(kLogSidecarSuffix),
                  {waiting.data(), waiting.size()});
  CHECK(scene.run(scene.manager->output().read_chunk(scene.from(ReadLogChunk::kLogEnd))).next_byte == 19);
}

TEST_CASE("manager logs: a read that waits has the first bytes that come, or none when its time is over") {
  LoggedTab scene("before\r\n", true);
  ReadLogChunk request = scene.from(ReadLogChunk::kLogEnd);
  request.wait_ms = 15'000;
  test::UnderWay<LogChunk> waits(*scene.io, scene.manager->output().read_chunk(request));
  scene.settle();
  CHECK_FALSE(waits.is_done());
  scene.print("after");
  const LogChunk chunk = waits.result();
  CHECK(chunk.chunk == "after");
  CHECK(chunk.next_byte == PaneLog(scene.log_of(scene.tab)).end());
  CHECK_FALSE(chunk.last);
  request.from_byte = chunk.next_byte;
  request.wait_ms = 20;
  const LogChunk none = scene.run(scene.manager->output().read_chunk(request));
  CHECK(none.chunk.empty());
  CHECK(none.eof);
  CHECK(none.next_byte == chunk.next_byte);
}

TEST_CASE("manager logs: who follows a log has what comes from now on, and its end") {
  LoggedTab scene("before\r\n", true);
  LogFollower follower = scene.run(scene.manager->output().follow_log(scene.tab));
  scene.print("after\r\n");
  const auto slice = scene.run(follower.next());
  REQUIRE(slice);
  CHECK(slice->bytes == "after\r\n");
  static_cast<void>(scene.run(scene.manager->tabs().close(scene.tab, true)));
  std::optional<PaneLog::Slice> rest = scene.run(follower.next());
  while (rest) {
    rest = scene.run(follower.next());
  }
  CHECK_FALSE(rest);
}

TEST_CASE("manager search: lines that match, with their places and what is around them") {
  LoggedTab scene("one\r\n\x1b[31mtwo\x1b[0m error\r\nthree\r\nfour\r\nError five\r\n");
  SearchLogs request = scene.pattern("two error");
  request.context_lines = 1;
  FoundLines found = scene.run(scene.manager->output().search_logs(request));
  REQUIRE(found.matches.size() == 1);
  CHECK(found.matches[0].line == "two error");
  CHECK(found.matches[0].byte == 10);  // of the match: behind the sequence
  CHECK(found.matches[0].before == std::vector<std::string>{"one"});
  CHECK(found.matches[0].after == std::vector<std::string>{"three"});
  CHECK_FALSE(found.truncated);
  CHECK(found.next_byte == PaneLog(scene.log_of(scene.tab)).end());

  request = scene.pattern("error");
  CHECK(scene.run(scene.manager->output().search_logs(request)).matches.size() == 1);
  request.ignore_case = true;
  CHECK(scene.run(scene.manager->output().search_logs(request)).matches.size() == 2);
  request.from_byte = 12;
  CHECK(scene.run(scene.manager->output().search_logs(request)).matches.back().line == "Error five");
  CHECK(scene.run(scene.manager->output().search_logs(scene.pattern("nowhere"))).matches.empty());
}

TEST_CASE("manager search: an answer that is full says where to go on, and none is told twice") {
  for (const bool long_ones : {false, true}) {  // full of matches, or of bytes as they are sent
    std::string log;
    for (int i = 1; i <= 100; ++i) {
      log += "line " + std::to_string(i) + (long_ones ? " " + std::string(900, '"') : "") + "\r\n";
    }
    LoggedTab scene(log);
    SearchLogs request = scene.pattern("line \\d+");
    request.max_matches = long_ones ? 1'000 : 30;
    request.context_lines = long_ones ? 2 : 0;
    int told = 0;
    int calls = 0;
    FoundLines found;
    do {
      found = scene.run(scene.manager->output().search_logs(request));
      CHECK(found.matches.size() <= request.max_matches);
      for (const FoundLine& match : found.matches) {
        CHECK((match.line + " ").starts_with("line " + std::to_string(++told) + " "));
      }
      request.from_byte = found.next_byte;
    } while (found.truncated && ++calls < 10);
    CHECK(calls >= 2);
    CHECK(told == 100);
  }
}

TEST_CASE("manager search: a pattern that is none is refused by name") {
  LoggedTab scene("x");
  const Failure failure = scene.failure(scene.manager->output().search_logs(scene.pattern("(")));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.text.starts_with("pattern: "));
  WaitFor wait = scene.until(Until::pattern, 10);
  wait.waiting.pattern = "[";
  CHECK(scene.failure(scene.manager->output().wait_for(wait)).text.starts_with("pattern: "));
}

TEST_CASE("manager waits: a pattern that is there, comes, or does not come in time") {
  LoggedTab scene("listening on 8080\r\n", true);
  WaitFor wait = scene.until(Until::pattern, 15'000);
  wait.waiting.pattern = "on (\\d+)";
  wait.from_byte = 0;
  WaitForResult waited = scene.run(scene.manager->output().wait_for(wait));
  CHECK(waited.matched);
  CHECK(waited.match == "on 8080");
  CHECK(waited.reason.empty());
  CHECK(waited.output.find("listening") != std::string::npos);

  wait.from_byte = waited.next_byte;
  test::UnderWay<WaitForResult> later(*scene.io, scene.manager->output().wait_for(wait));
  scene.settle();
  CHECK_FALSE(later.is_done());
  scene.print("now on 9090\r\n");
  waited = later.result();
  CHECK(waited.match == "on 9090");
  CHECK(waited.output == "now on 9090\n");

  wait.from_byte = waited.next_byte;
  wait.waiting.timeout_ms = 30;
  waited = scene.run(scene.manager->output().wait_for(wait));
  CHECK_FALSE(waited.matched);
  CHECK(waited.reason == "timeout");
  CHECK(waited.match.empty());
  CHECK(waited.notes.empty());
}

TEST_CASE("manager waits: one that is longer than a call may be says how to go on") {
  LoggedTab scene("x", true);
  scene.config.sync_window_ms = 500;  // enough to read the log once, on a machine that is busy
  scene.restart();
  WaitFor wait = scene.until(Until::pattern, 10'000);
  wait.waiting.pattern = "never";
  wait.from_byte = 0;
  const WaitForResult waited = scene.run(scene.manager->output().wait_for(wait));
  CHECK(waited.reason == "timeout");
  CHECK(any_note(waited.notes, "no call waits longer than 500 ms; to go on, call wait_for with from_byte " +
                                   std::to_string(waited.next_byte)));
}

TEST_CASE("manager waits: for an end where nothing ran, for silence, and in a tab that is closed") {
  LoggedTab scene("some text\r\n", true);
  Failure failure = scene.failure(scene.manager->output().wait_for(scene.until(Until::exit, 5'000)));
  CHECK(failure.code == ErrorCode::not_found);
  CHECK(failure.says("window_id: no command was run in tab @0 yet, and its shell is at its prompt"));
  WaitFor idle = scene.until(Until::idle, 10'000);
  idle.waiting.idle_ms = 30;
  CHECK(scene.run(scene.manager->output().wait_for(idle)).matched);
  WaitFor pattern = scene.until(Until::pattern, 15'000);
  pattern.waiting.pattern = "never";
  pattern.from_byte = 0;
  test::UnderWay<WaitForResult> waits(*scene.io, scene.manager->output().wait_for(pattern));
  static_cast<void>(scene.run(scene.manager->tabs().close(scene.tab, true)));
  const WaitForResult waited = waits.result();
  CHECK_FALSE(waited.matched);
  CHECK(waited.reason == "tab_closed");
  CHECK(scene.run(scene.manager->output().wait_for(scene.until(Until::exit, 10))).reason == "tab_closed");
}

}  // namespace terminally
