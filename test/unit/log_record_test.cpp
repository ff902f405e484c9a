#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "log/log_file.hpp"
#include "log/log_record.hpp"
#include "log/log_snapshot.hpp"
#include "temp_files.hpp"

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

TEST_CASE("D26: a record says why the log took nothing, in the place of its kind") {
  for (const auto kind : {RecordKind::gap, RecordKind::waiting}) {
    const LogRecord record{.kind = kind, .offset = 150, .position = 100, .time_ms = 1, .error = 28};
    const auto bytes = encode(record);
    const std::string_view text(bytes.data(), bytes.size());
    CHECK(text.starts_with(kind == RecordKind::gap ? "g0028 " : "w0028 "));
    CHECK(decode_log_record(text) == record);
  }
  const auto unknown =
      encode({.kind = RecordKind::waiting, .offset = 1, .position = 1, .time_ms = 1, .error = 123'456});
  CHECK(decode_log_record({unknown.data(), unknown.size()})->error == 0);
}

TEST_CASE("D26: what waits for its log is no gap yet, and what was dropped behind it is counted") {
  const std::string start = line(RecordKind::start, 0, 0);
  const std::string waiting = line(RecordKind::waiting, 190, 150);
  const LogIndex held_up(start + waiting, 100);
  CHECK(held_up.end() == 100);
  CHECK(held_up.waiting().kept == 50);
  CHECK(held_up.waiting().lost == 40);
  CHECK(held_up.counted_end() == 190);
  const LogIndex all_but_the_gap(start + waiting, 150);  // which is recorded before the next byte
  CHECK(all_but_the_gap.waiting().kept == 0);
  CHECK(all_but_the_gap.counted_end() == 190);
  // Its writer was killed: the next one begins behind all that was counted.
  const LogIndex killed(start + waiting + line(RecordKind::start, 190, 100), 110);
  CHECK(killed.waiting().kept + killed.waiting().lost == 0);
  REQUIRE(killed.runs().size() == 2);
  CHECK(killed.runs()[1].offset == 190);
  CHECK(killed.runs()[1].unknown_before);
  // One of before, and all of it has come since.
  const LogIndex stale(start + line(RecordKind::waiting, 150, 150), 180);
  CHECK(stale.counted_end() == 180);
  CHECK(stale.runs().size() == 1);
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
  // A sidecar of before that: bytes that nobody recorded have their offsets already.
  const LogIndex behind(line(RecordKind::start, 0, 0) + line(RecordKind::start, 50, 100), 120);
  REQUIRE(behind.runs().size() == 2);
  CHECK(behind.runs()[1].offset == 100);
  CHECK(behind.end() == 120);
}

TEST_CASE("lines that are no record, and a torn last line, are passed over") {
  const std::string torn = line(RecordKind::gap, 999, 10).substr(0, 63);
  const LogIndex index(
      line(RecordKind::start, 0, 0) + std::string(64, '\0') + line(RecordKind::gap, 20, 10) + torn, 15);
  CHECK(index.end() == 25);
}

TEST_CASE("a sidecar is no longer what was read once a record was added or overwritten, or it was replaced") {
  const std::string start = line(RecordKind::start, 0, 0);
  const std::string waiting = line(RecordKind::waiting, 190, 150);
  struct Change {
    const char* what;
    std::function<void(const std::filesystem::path&)> make;
  };
  const std::vector<Change> changes = {
      {"added", [&](const auto& sidecar) { test::append_to(sidecar, start); }},
      {"overwritten in place",
       [&](const auto& sidecar) {
         std::fstream(sidecar, std::ios::binary | std::ios::in | std::ios::out).seekp(64)
             << line(RecordKind::waiting, 290, 150);
       }},
      {"replaced by one that is as long and ends so",
       [&](const auto& sidecar) {
         const std::filesystem::path fresh = sidecar.string() + ".new";
         test::append_to(fresh, line(RecordKind::segment, 100, 100) + waiting);
         std::filesystem::rename(fresh, sidecar);
       }},
      {"removed", [](const auto& sidecar) { std::filesystem::remove(sidecar); }},
  };
  for (const Change& change : changes) {
    CAPTURE(change.what);
    const test::TempDir dir(test::in_memory());
    const std::filesystem::path sidecar = (dir / "log").string() + std::string(kLogSidecarSuffix);
    test::append_to(sidecar, start + waiting);
    const SidecarFile read(dir / "log");
    CHECK(read.records() == start + waiting);
    CHECK(read.unchanged());
    change.make(sidecar);
    CHECK_FALSE(read.unchanged());
  }
  const test::TempDir dir(test::in_memory());
  const SidecarFile none(dir / "log");
  CHECK(none.records().empty());
  CHECK(none.unchanged());
  test::append_to((dir / "log").string() + std::string(kLogSidecarSuffix), start);
  CHECK_FALSE(none.unchanged());
}
