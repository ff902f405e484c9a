#include "pane/time_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "log/log_record.hpp"
#include "log/recording.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::TempDir;

namespace {

std::string bytes_of(const std::vector<TimeRecord>& records) {
  std::string bytes;
  for (const TimeRecord& record : records) {
    const TimeRecordBytes one = encode(record);
    bytes.append(one.data(), one.size());
  }
  return bytes;
}

std::vector<std::uint64_t> offsets(const LogTimes& times) {
  std::vector<std::uint64_t> result;
  for (const TimeRecord& record : times.records()) {
    result.push_back(record.offset);
  }
  return result;
}

using Offsets = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("time index: the bytes of a record are those of doc/pane-log.md") {
  const TimeRecord record{.offset = 70'000, .time_ms = 1'767'225'600'000};
  const std::string bytes = bytes_of({record});
  CHECK(bytes == std::string("\x70\x11\x01\0\0\0\0\0\0\xa8\xda\x76\x9b\x01\0\0", 16));
  CHECK(decode_time_record(bytes) == record);
  CHECK_FALSE(decode_time_record(bytes.substr(1)));
  CHECK_FALSE(decode_time_record(std::string(16, '\0')));
}

TEST_CASE("time index: a torn tail at any place costs the torn record only") {
  const std::string whole = bytes_of({{0, 1'000}, {10, 1'050}, {500, 2'000}});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    CHECK(LogTimes(whole.substr(0, size)).records().size() == size / kTimeRecordBytes);
  }
  CHECK(offsets(LogTimes(whole + std::string(40, '\0'))) == Offsets{0, 10, 500});  // after a power loss
}

TEST_CASE("time index: of records that contradict each other the later one holds") {
  CHECK(offsets(LogTimes(bytes_of({{0, 1}, {100, 2}, {200, 3}, {150, 4}, {300, 5}}))) ==
        Offsets{0, 100, 150, 300});
  CHECK(offsets(LogTimes(bytes_of({{7, 1}, {7, 2}}))) == Offsets{7});
}

TEST_CASE("time index: a thinning that stopped anywhere leaves a whole index") {
  std::vector<TimeRecord> all;
  all.reserve(64);
  for (std::uint64_t i = 0; i < 64; ++i) {
    all.push_back({.offset = i * 10, .time_ms = 1 + i});
  }
  for (std::size_t done = 0; done <= 64; done += 2) {  // as TimeIndex::thin leaves the file
    std::vector<TimeRecord> now = all;
    for (std::size_t i = 0; i < done; i += 2) {
      now[i / 2] = all[i];
    }
    const Offsets seen = offsets(LogTimes(bytes_of(now)));
    CAPTURE(done);
    CHECK(seen.front() == 0);
    CHECK(seen.back() == 630);
    CHECK(std::adjacent_find(seen.begin(), seen.end(), [](auto a, auto b) { return b - a > 20; }) ==
          seen.end());
  }
}

TEST_CASE("time index: a record each 50 ms at most, going on where the last writer stopped") {
  const TempDir directory;
  const auto log = directory / "pane-@1.log";
  const auto times = directory / "pane-@1.log.times";
  {
    TimeIndex index;
    REQUIRE(index.set_path(log.string()));
    for (std::int64_t now = 1'000; now < 2'000; now += 10) {
      index.note(static_cast<std::uint64_t>(now), now);
    }
  }
  CHECK(LogTimes::read(log).records().size() == 20);
  append_to(times, "torn");
  TimeIndex next;
  REQUIRE(next.set_path(log.string()));
  next.note(5'000, 10);
  CHECK(LogTimes::read(log).records().size() == 21);
  CHECK(LogTimes::read(log).records().back().offset == 5'000);
  CHECK(std::filesystem::file_size(times) == 21 * kTimeRecordBytes);
}

TEST_CASE("time index: where it cannot be written nothing happens, and it goes on by itself") {
  const TempDir directory;
  const auto log = directory / "later" / "pane-@1.log";
  TimeIndex index;
  REQUIRE(index.set_path(log.string()));
  index.note(0, 1'000);
  CHECK(LogTimes::read(log).records().empty());
  std::filesystem::create_directory(directory / "later");
  index.note(1, 1'900);  // it is tried again a second later
  CHECK(LogTimes::read(log).records().empty());
  index.note(2, 2'000);
  CHECK(offsets(LogTimes::read(log)) == Offsets{2});
  std::filesystem::create_symlink("elsewhere", directory / "pane-@2.log.times");
  TimeIndex other;
  REQUIRE(other.set_path((directory / "pane-@2.log").string()));
  other.note(0, 1'000);
  CHECK_FALSE(std::filesystem::exists(directory / "elsewhere"));  // links are not followed
  CHECK_FALSE(other.set_path(std::string(5'000, 'x')));
}

TEST_CASE("time index: bounded; what is old gets coarser, what is new is exact") {
  const TempDir directory;
  const auto log = directory / "pane-@1.log";
  TimeIndex index;
  REQUIRE(index.set_path(log.string()));
  constexpr std::uint64_t kNotes = 3 * TimeIndex::kMaxBytes / kTimeRecordBytes;
  std::uintmax_t largest = 0;
  for (std::uint64_t i = 0; i < kNotes; ++i) {
    index.note(i * 100, static_cast<std::int64_t>(i) * TimeIndex::kMinGapMs);
    if (i % 4'096 == 4'095) {
      largest = std::max(largest, std::filesystem::file_size(directory / "pane-@1.log.times"));
    }
  }
  CHECK(largest == TimeIndex::kMaxBytes);
  const Offsets seen = offsets(LogTimes::read(log));
  CHECK(seen.size() >= TimeIndex::kMaxBytes / kTimeRecordBytes / 2);
  CHECK(seen.front() == 0);
  CHECK(seen.back() == (kNotes - 1) * 100);
  CHECK(seen[seen.size() - 2] == (kNotes - 2) * 100);
  CHECK(seen[1] >= 400);
}
