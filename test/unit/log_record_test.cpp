#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/log_record.hpp"
#include "tmux/log_index.hpp"

using namespace terminally;

namespace {

std::string line(LogRecord::Kind kind, std::uint64_t offset, std::uint64_t position) {
  const auto bytes =
      encode({.kind = kind, .offset = offset, .position = position, .time_ms = 1'767'225'600'000});
  return {bytes.data(), bytes.size()};
}

using RecordKind = LogRecord::Kind;

}  // namespace

TEST_CASE("a sidecar record is the line that doc/pane-log.md shows") {
  CHECK(line(RecordKind::start, 0, 0) == "start 00000000000000000000 00000000000000000000 001767225600000\n");
  CHECK(line(RecordKind::gap, 18446744073709551615U, 42) ==
        "gap   18446744073709551615 00000000000000000042 001767225600000\n");
}

TEST_CASE("a sidecar record survives the way to text and back, and nothing less than a whole line is one") {
  const LogRecord record{
      .kind = RecordKind::gap, .offset = 18446744073709551615U, .position = 7, .time_ms = 1};
  const auto bytes = encode(record);
  const std::string_view whole(bytes.data(), bytes.size());
  CHECK(decode_log_record(whole) == record);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK_FALSE(decode_log_record(whole.substr(0, cut)));
    std::string zero_filled(whole.substr(0, cut));  // what a power loss can leave
    zero_filled.resize(whole.size());
    CHECK_FALSE(decode_log_record(zero_filled));
  }
}

TEST_CASE("a record of a kind from a later version still tells where its bytes are") {
  const auto record = decode_log_record("later 00000000000000001000 00000000000000000000 001767225600000\n");
  REQUIRE(record);
  CHECK(record->kind == RecordKind::other);
  CHECK(record->offset == 1000);
}

TEST_CASE("without a sidecar offsets are positions") {
  const LogIndex index("", 10);
  REQUIRE(index.runs().size() == 1);
  CHECK(index.end() == 10);
  CHECK(index.offset_at(3) == 3);
  CHECK(index.offset_at(10) == 10);
  CHECK(LogIndex("", 0).runs().empty());
}

TEST_CASE("a gap moves the offsets of what comes after it") {
  const LogIndex index(line(RecordKind::start, 0, 0) + line(RecordKind::gap, 150, 100), 120);
  REQUIRE(index.runs().size() == 2);
  CHECK(index.runs()[0].end() == 100);
  CHECK(index.runs()[1].offset == 150);
  CHECK_FALSE(index.runs()[1].unknown_before);
  CHECK(index.end() == 170);
  CHECK(index.offset_at(99) == 99);
  CHECK(index.offset_at(100) == 150);
  CHECK(index.run_after(120)->offset == 150);
  CHECK(index.run_after(170) == nullptr);
}

TEST_CASE(
    "a second start means that an unknown number of bytes is missing, also where nothing was logged before") {
  const LogIndex index(line(RecordKind::start, 0, 0) + line(RecordKind::start, 0, 0), 5);
  REQUIRE(index.runs().size() == 1);
  CHECK(index.runs()[0].unknown_before);
  CHECK_FALSE(LogIndex(line(RecordKind::start, 0, 0), 5).runs()[0].unknown_before);
}

TEST_CASE("a log that lost its last bytes in a power loss gives no offset out twice") {
  // 100 bytes and a gap of 50 were recorded, but only 90 bytes are left; the next writer goes on at offset
  // 150.
  const LogIndex index(
      line(RecordKind::start, 0, 0) + line(RecordKind::gap, 150, 100) + line(RecordKind::start, 150, 90), 95);
  REQUIRE(index.runs().size() == 2);
  CHECK(index.runs()[0].end() == 90);
  CHECK(index.runs()[1].offset == 150);
  CHECK(index.runs()[1].position == 90);
  CHECK(index.runs()[1].unknown_before);
  CHECK(index.end() == 155);
}

TEST_CASE("lines that are no record, and a torn last line, are passed over") {
  const std::string torn = line(RecordKind::gap, 999, 10).substr(0, 63);
  const LogIndex index(
      line(RecordKind::start, 0, 0) + std::string(64, '\0') + line(RecordKind::gap, 20, 10) + torn, 15);
  CHECK(index.end() == 25);
}
