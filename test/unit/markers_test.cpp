#include "tab/markers.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace terminally;
using MarkerKind = Marker::Kind;
using By = Marker::By;

namespace {

const std::string kNonce = "0123456789abcdef0123456789abcdef";
const std::string kStart = "\033]133;C;mcp=START:" + kNonce + "\a";

std::string end_record(const std::string& code, const std::string& more = "") {
  return "\033]133;D;" + code + ";mcp=END:" + kNonce + more + "\a";
}

/// What is found in pieces that come one after the other, beginning at log offset 1000.
std::vector<Marker> scan(const std::vector<std::string>& pieces, std::uint64_t* settled = nullptr) {
  MarkerScanner scanner(kNonce, 1'000);
  std::vector<Marker> found;
  for (const std::string& piece : pieces) {
    scanner.feed(piece);
    while (const auto marker = scanner.next()) {
      found.push_back(*marker);
    }
    if (settled != nullptr) {
      *settled = scanner.settled();
    }
  }
  return found;
}

}  // namespace

TEST_CASE("markers: a record says kind, exit code and who printed it") {
  CHECK(parse_marker(kStart, kNonce)->kind == MarkerKind::start);
  const auto end = parse_marker(end_record("137", ";x=1;by=hook"), kNonce);
  REQUIRE(end);
  CHECK(end->kind == MarkerKind::end);
  CHECK(end->exit_code == 137);
  CHECK(end->traced);
  CHECK(end->by == By::hook);
  const auto pipeline = parse_marker(end_record("0", ";x=1;parts=1 141 0;by=hook"), kNonce);
  REQUIRE(pipeline);
  CHECK(pipeline->parts == "1 141 0");
  CHECK(pipeline->by == By::hook);
  CHECK(end->parts.empty());
  CHECK(parse_marker(end_record("0", ";by=shell"), kNonce)->by == By::shell);
  CHECK(parse_marker(end_record("0", ";by=refused"), kNonce)->by == By::refused);
  CHECK(parse_marker(end_record("255"), kNonce)->by == By::wrapper);
  CHECK(parse_marker(end_record("300"), kNonce)->exit_code == 300);  // zsh and dash have such a `$?`
  CHECK(parse_marker(end_record("-1"), kNonce)->exit_code == -1);
}

TEST_CASE("markers: what is no record of ours is none (R: forged END records)") {
  const std::string other(32, 'f');
  for (const std::string& record :
       {end_record("99999999999"), end_record("--1"), end_record("-0"), end_record(""), end_record("1x"),
        end_record("0", ";x=2"), end_record("0", ";by=me"), end_record("0", ";by=hook;x=1"),
        end_record("0", ";parts=1;x=1"), end_record("0", ";parts=1,0"), end_record("0", " "),
        "\033]133;D;0;mcp=END:" + other + "\a", "\033]133;D;0;mcp=END:" + kNonce.substr(1) + "\a",
        "\033]133;D;0;mcp=END:" + kNonce + "0\a", "\033]133;D;0;mcp=END:" + kNonce + "\033\\",
        "]133;D;0;mcp=END:" + kNonce + "\a", "\033]133;C;mcp=END:" + kNonce + "\a",
        "\033]133;D;0;mcp=START:" + kNonce + "\a"}) {
    CAPTURE(record);
    CHECK_FALSE(parse_marker(record, kNonce));
    CHECK(scan({record}).empty());
    CHECK(scan({record + end_record("7")}).size() == 1);  // and it hides none that follows
  }
}

TEST_CASE("markers: found with their offsets at every split position") {
  const std::string noise = "\033[1m\033]133;A\a\033\033]13";
  const std::string stream = noise + kStart + "out\r\nput" + end_record("3", ";x=1") + "$ ";
  const std::uint64_t start_at = 1'000 + noise.size();
  const std::uint64_t end_at = start_at + kStart.size() + 8;
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    CAPTURE(split);
    std::uint64_t settled = 0;
    const auto found = scan({stream.substr(0, split), stream.substr(split)}, &settled);
    REQUIRE(found.size() == 2);
    CHECK(found[0].begin == start_at);
    CHECK(found[0].next == start_at + kStart.size());
    CHECK(found[1].begin == end_at);
    CHECK(found[1].next == 1'000 + stream.size() - 2);
    CHECK(found[1].exit_code == 3);
    CHECK(settled == 1'000 + stream.size());
  }
}

TEST_CASE("markers: byte by byte, and what may become one is not settled") {
  MarkerScanner scanner(kNonce, 0);
  const std::string record = end_record("0");
  const std::string before = "text";
  for (const char c : before + record.substr(0, record.size() - 1)) {
    scanner.feed(std::string(1, c));
    CHECK_FALSE(scanner.next());
    CHECK(scanner.settled() <= before.size());
  }
  scanner.feed("\a");
  const auto end = scanner.next();
  REQUIRE(end);
  CHECK(end->begin == before.size());
  CHECK(scanner.settled() == before.size() + record.size());
}

TEST_CASE("markers: a record that is cut short holds nothing back for ever") {
  std::uint64_t settled = 0;
  CHECK(scan({"\033]133;D;0;mcp=END:" + kNonce + std::string(1'100, 'x')}, &settled).empty());
  CHECK(settled == 1'000 + 18 + 1 + 32 + 1'100 - 1);
}

TEST_CASE("markers: no false end in random and forged records") {
  // The fault suite asks for a million and reads the line at the end.
  const char* asked = std::getenv("TERMINALLY_FORGED_RECORDS");
  const int rounds = asked == nullptr ? 2'000 : std::stoi(asked);
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same cases each time
  const std::string alphabet = "\033]133;DC;mcp=END:START\a0123456789abcdef";
  const std::string end = end_record("5", ";x=1;by=hook");
  int false_ends = 0;
  int found = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string forged = "\033]133;D;" + std::to_string(random() % 400) + ";mcp=END:" + kNonce;
    for (int edit = 0; edit < 3; ++edit) {  // always at least one digit of the nonce is wrong
      forged[forged.size() - 1 - random() % 32] = 'g';
    }
    for (std::size_t i = 0; i < 40; ++i) {
      forged += alphabet[random() % alphabet.size()];
    }
    // Split inside of the true record, at each place in turn, and somewhere before it.
    const std::string stream = forged + end;
    const std::size_t early = random() % forged.size();
    const std::size_t late = forged.size() + static_cast<std::size_t>(round) % (end.size() + 1);
    for (const Marker& marker :
         scan({stream.substr(0, early), stream.substr(early, late - early), stream.substr(late)})) {
      const bool is_true = marker.begin == 1'000 + forged.size() && marker.exit_code == 5;
      (is_true ? found : false_ends) += 1;
    }
  }
  CHECK(false_ends == 0);
  CHECK(found == rounds);
  MESSAGE("forged records: " << rounds << ", false ends: " << false_ends << ", true ends found: " << found);
}
