// Logs through the manager, masked and then cut anywhere (D15).
#include <doctest/doctest.h>

#include "cut_secrets.hpp"
#include "json/json_reader.hpp"
#include "logged_tab.hpp"

namespace terminally {
namespace {

using test::CutSecrets;
using test::LoggedTab;

}  // namespace

TEST_CASE(
    "D15: in chunks of any size a log is the same masked text, and from no byte is a part of a secret seen") {
  const CutSecrets secrets;
  LoggedTab scene("a ü b " + secrets.token + " c " + secrets.value + "\r\n" + secrets.key() + secrets.token +
                  "\r\nend\r\n");
  const std::string whole = "a ü b " + secrets.token_mask + " c " + secrets.value_mask + "\r\n" +
                            secrets.key_mask + "\r\n" + secrets.token_mask + "\r\nend\r\n";
  const TextView view = secrets.views().front();
  const std::uint64_t end = PaneLog(scene.log_of(scene.tab)).end();
  for (const std::uint64_t most : {1U, 7U, 16U, 33U, 64U, 100U, 1'000U}) {
    CAPTURE(most);
    std::string text;
    for (std::uint64_t at = 0; at < end;) {
      ReadLogChunk request = scene.from(at);
      request.view = view;
      request.max_bytes = most;
      const LogChunk chunk = scene.run(scene.manager->output().read_chunk(request));
      REQUIRE(chunk.next_byte > at);
      at = chunk.next_byte;
      text += chunk.chunk;
    }
    CHECK(text == whole);
  }
  ReadLogChunk request = scene.from(0);
  request.view = view;
  for (; request.from_byte < end; request.from_byte += 3) {
    CAPTURE(request.from_byte);
    for (const std::uint64_t most : {20U, 45U, 65'536U}) {
      request.max_bytes = most;
      CHECK(secrets.leak(scene.run(scene.manager->output().read_chunk(request)).chunk) == "");
    }
  }
}

TEST_CASE(
    "D15: the last lines begin anywhere within a key, or where 256 KiB begin, and show no part of a secret") {
  const CutSecrets secrets;
  LoggedTab scene(secrets.key() + "x " + secrets.phrase + "\r\n");
  for (const TextView& view : secrets.views()) {
    for (std::uint64_t lines = 1; lines < 18; ++lines) {
      CAPTURE(lines);
      CHECK(secrets.leak(scene.last(lines, view).content) == "");
    }
  }
  std::string line;
  while (line.size() < 300'000) {
    line += secrets.phrase + "   ";
  }
  scene.print(line);
  const LogLines found = scene.last(1'000'000, secrets.views().front());
  CHECK(found.truncated);
  CHECK(json_size(found.content) <= 256 * 1'024);
  CHECK(secrets.leak(found.content) == "");
}

TEST_CASE("D15: lines that a search cuts, around the match and after 1,000 bytes, show no part of a secret") {
  const CutSecrets secrets;
  std::string bytes;
  for (const std::string& secret : secrets.one_line) {
    for (std::size_t at = 955; at < 1'000; at += 4) {
      bytes += std::string(at, 'x') + " " + secret + " " + std::string(300, 'y') + "\r\n" +
               std::string(at - 700, 'y') + " " + secret + " " + std::string(300, 'z') + " needle " +
               std::string(760, 'z') + " " + secret + " " + std::string(500, 'y') + "\r\n";
    }
  }
  LoggedTab scene(bytes + "before\r\n" + secrets.token + "\r\n" + secrets.key() + "after\r\n");
  const auto check = [&](const std::string& pattern, std::uint64_t context) {
    SearchLogs request = scene.pattern(pattern);
    request.context_lines = context;
    request.max_matches = 1'000;
    request.guard = secrets.guard();
    FoundLines found = scene.run(scene.manager->output().search_logs(request));
    REQUIRE_FALSE(found.matches.empty());
    for (FoundLine& match : found.matches) {
      match.before.push_back(match.line);
      std::ranges::copy(match.after, std::back_inserter(match.before));
      for (const std::string& line : match.before) {
        CHECK(secrets.leak(line) == "");
      }
    }
    return found.matches.front().line;
  };
  check("needle", 0);
  check("needle", 3);
  for (std::size_t at = 0; at < 36; at += 5) {  // a part of a value is found, and not shown
    check(secrets.value.substr(at, 4) + ".{0,3}", 0);
  }
  CHECK(check("^ghp_|^" + secrets.key_lines[5].substr(0, 10), 3) == secrets.token_mask);
}

TEST_CASE("D15: a secret that is printed bit by bit is shown as one mask, and no part of it before") {
  const CutSecrets secrets;
  LoggedTab scene("", true);
  ReadLogChunk request = scene.from(scene.begin);
  request.view = secrets.views().front();
  request.wait_ms = 1;
  std::string text;
  const std::string bytes = "x " + secrets.token + "\r\n";
  for (std::size_t at = 0; at < bytes.size(); at += 7) {  // the first letters of all tokens are none
    scene.print(bytes.substr(at, 7));
    CAPTURE(at);
    const LogChunk chunk = scene.run(scene.manager->output().read_chunk(request));
    CHECK((chunk.next_byte > request.from_byte || chunk.chunk.empty()));
    request.from_byte = chunk.next_byte;
    text += chunk.chunk;
    CHECK(secrets.leak(text) == "");
    CHECK(secrets.leak(scene.last(5, secrets.views()[1]).content) == "");
    ReadLogChunk all = scene.from(scene.begin);
    all.view = request.view;
    CHECK(secrets.leak(scene.run(scene.manager->output().read_chunk(all)).chunk) == "");
  }
  CHECK(text == "x " + secrets.token_mask + "\r\n");
}

TEST_CASE("A11: a wait for a part of a secret is matched, and answered with a mask") {
  const CutSecrets secrets;
  LoggedTab scene(secrets.token + "\r\n" + secrets.key(), true);
  WaitFor wait = scene.until(Until::pattern, 10'000);
  wait.from_byte = scene.begin;
  wait.waiting.view = secrets.views()[1];
  wait.waiting.pattern = "ghp_.{10}";
  CHECK(scene.run(scene.manager->output().wait_for(wait)).match == secrets.token_mask);
  wait.waiting.pattern = "^" + secrets.key_lines[3].substr(0, 6) + ".*$";
  const WaitForResult waited = scene.run(scene.manager->output().wait_for(wait));
  CHECK(waited.matched);
  CHECK(secrets.leak(waited.match + waited.output) == "");
}

}  // namespace terminally
