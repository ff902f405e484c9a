// Rotation, by the classes of the writer and the reader; with the real program: log_writer_test.cpp.
#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <fstream>
#include <string>

#include "instance/log_store.hpp"
#include "log/log_record.hpp"
#include "log/pane_log.hpp"
#include "pane/log_files.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::content_of;
using test::TempDir;

namespace {

LogFiles writer_of(const std::filesystem::path& path, const LogLimits& limits) {
  LogFiles writer;
  REQUIRE(writer.set_path(path.native()));
  writer.set_limits(limits);
  REQUIRE(writer.open());
  return writer;
}

void append(LogFiles& writer, const std::string& bytes) {
  REQUIRE(writer.open());
  REQUIRE(writer.append(bytes.data(), bytes.size()) == bytes.size());
}

}  // namespace

TEST_CASE("a full segment is named by the offset of its first byte, and the live one keeps the log's name") {
  const TempDir dir;
  LogFiles writer =
      writer_of(dir / "pane-@3.log", {.segment_bytes = 10, .quota_bytes = 1000, .min_free_bytes = 0});
  append(writer, "0123456789abcdefghijKL");
  CHECK(content_of(dir / "pane-@3.00000000000000000000.log") == "0123456789");
  CHECK(content_of(dir / "pane-@3.00000000000000000010.log") == "abcdefghij");
  CHECK(content_of(dir / "pane-@3.log") == "KL");
  const PaneLog log(dir / "pane-@3.log");
  CHECK(log.read(8, 13).bytes == "89abcdefghijK");
  CHECK(log.last_lines(1, 15).bytes == "789abcdefghijKL");
}

TEST_CASE("a quota drops the oldest segments, and a reader is told how many bytes are gone") {
  const TempDir dir;
  LogFiles writer =
      writer_of(dir / "pane-@3.log", {.segment_bytes = 10, .quota_bytes = 30, .min_free_bytes = 0});
  append(writer, std::string(95, 'x') + "the end");
  const PaneLog log(dir / "pane-@3.log");
  const PaneLog::Slice slice = log.read(0, 1000);
  CHECK(slice.from == 80);
  CHECK(slice.gap_bytes == 80);
  CHECK(slice.bytes == std::string(15, 'x') + "the end");
  CHECK(log.extent().gap.bytes == 80);
  CHECK_FALSE(log.extent().gap.unknown);
  CHECK(log.gap_between(75, 90).bytes == 5);
  CHECK(log.gap_between(80, 200).bytes == 0);
  CHECK(log.gap_between(200, 300).bytes == 0);
}

TEST_CASE("where there is little space, the newest segment stays besides the live one") {
  const TempDir dir;
  LogFiles writer =
      writer_of(dir / "pane-@3.log",
                {.segment_bytes = 10, .quota_bytes = 1000, .min_free_bytes = std::uint64_t{1} << 60U});
  append(writer, std::string(35, 'x'));
  const PaneLog::Slice slice = PaneLog(dir / "pane-@3.log").read(0, 1000);
  CHECK(slice.from == 20);
  CHECK(slice.bytes.size() == 15);
}

TEST_CASE("segments go where less than half of the free space is left that is to be kept") {
  const TempDir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    FAIL("this test needs root: it mounts a file system");
  }
  {
    LogFiles writer = writer_of(
        dir / "pane-@3.log", {.segment_bytes = 16'384, .quota_bytes = 10'000'000, .min_free_bytes = 200'000});
    append(writer, std::string(std::size_t{7} * 16'384, 'x'));  // 130,000 bytes are free
    CHECK(PaneLog(dir / "pane-@3.log").extent().gap.bytes == 0);
    append(writer, std::string(std::size_t{7} * 16'384, 'x'));
    struct statvfs status{};
    REQUIRE(::statvfs(dir.path().c_str(), &status) == 0);
    CHECK(status.f_bavail * status.f_frsize >= 100'000 - 16'384);
    CHECK(PaneLog(dir / "pane-@3.log").extent().gap.bytes > 0);
  }
  ::umount2(dir.path().c_str(), MNT_DETACH);
}

TEST_CASE("on a full file system old segments make room for what is printed now") {
  const TempDir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    FAIL("this test needs root: it mounts a file system");
  }
  {
    LogFiles writer = writer_of(dir / "pane-@3.log",
                                {.segment_bytes = 32'768, .quota_bytes = 10'000'000, .min_free_bytes = 0});
    for (int i = 0; i < 32; ++i) {
      append(writer, std::string(32'768, static_cast<char>('a' + i % 26)));
    }
    const PaneLog log(dir / "pane-@3.log");
    CHECK(log.end() == 32 * 32'768);
    CHECK(log.extent().gap.bytes > 0);
    CHECK(log.extent().gap.unwritten == 0);
    CHECK_FALSE(log.extent().gap.unknown);
  }
  ::umount2(dir.path().c_str(), MNT_DETACH);
}

TEST_CASE("on a full file system there is a place for the record of a gap, wherever the sidecar ends") {
  const TempDir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    FAIL("this test needs root: it mounts a file system");
  }
  {
    LogFiles writer =
        writer_of(dir / "log", {.segment_bytes = 1'000'000, .quota_bytes = 10'000'000, .min_free_bytes = 0});
    append(writer, "a");
    const auto sidecar_bytes = [&dir] { return std::filesystem::file_size(dir / "log.index"); };
    while (sidecar_bytes() % 4'096 != 0) {  // the next record needs a page more
      REQUIRE(writer.record_gap(1));
      append(writer, "a");
    }
    const std::string ballast(4'096, 'x');
    while (writer.append(ballast.data(), ballast.size()) == ballast.size()) {
    }
    CHECK(writer.append("a", 1) == 0);
    CHECK(writer.record_gap(7));
    CHECK(PaneLog(dir / "log").end() == writer.offset());
  }
  ::umount2(dir.path().c_str(), MNT_DETACH);
}

TEST_CASE("what somebody else writes into the live segment has offsets of its own") {
  const TempDir dir;
  LogFiles writer =
      writer_of(dir / "pane-@3.log", {.segment_bytes = 10, .quota_bytes = 100, .min_free_bytes = 0});
  append(writer, "ours");
  std::ofstream(dir / "pane-@3.log", std::ios::app) << "theirs";
  append(writer, "and ours again");
  const PaneLog log(dir / "pane-@3.log");
  CHECK(log.end() == 24);
  CHECK(log.read(0, 10).bytes == "ourstheirs");
  CHECK(log.read(10, 100).bytes == "and ours again");
  CHECK(log.extent().gap.bytes == 0);
  CHECK(content_of(dir / "pane-@3.00000000000000000010.log") == "and ours a");
}

TEST_CASE("the sidecar stays small after very many rotations") {
  const TempDir dir(test::in_memory());
  LogFiles writer =
      writer_of(dir / "pane-@3.log", {.segment_bytes = 2, .quota_bytes = 20, .min_free_bytes = 0});
  std::string bytes;
  for (int i = 0; i < 1500; ++i) {
    bytes += static_cast<char>('a' + i % 26);
  }
  append(writer, bytes);
  CHECK(content_of(dir / "pane-@3.log.index").size() < 300 * kLogRecordBytes);
  const PaneLog log(dir / "pane-@3.log");
  CHECK(log.end() == bytes.size());
  const PaneLog::Slice slice = log.read(0, 1000);
  CHECK(slice.bytes == bytes.substr(slice.from));
  CHECK(log.extent().gap.bytes == slice.from);
}

TEST_CASE("a directory that somebody removed is made again, and what was in it is counted") {
  const TempDir dir;
  std::filesystem::create_directories(dir / "a/b");
  LogFiles writer = writer_of(dir / "a/b/pane-@3.log", {});
  append(writer, "gone");
  std::filesystem::remove_all(dir / "a");
  append(writer, "there");
  const PaneLog::Slice slice = PaneLog(dir / "a/b/pane-@3.log").read(0, 1000);
  CHECK(slice.gap_bytes == 4);
  CHECK(slice.bytes == "there");
}

TEST_CASE("D37: a directory that somebody moved is made again, and the logs in it stay as they were") {
  const TempDir dir;
  std::filesystem::create_directories(dir / "a/b");
  LogFiles writer = writer_of(dir / "a/b/pane-@3.log", {});
  append(writer, "moved");
  std::filesystem::rename(dir / "a", dir / "elsewhere");
  append(writer, "there");
  const PaneLog::Slice slice = PaneLog(dir / "a/b/pane-@3.log").read(0, 1000);
  CHECK(slice.gap_bytes == 5);
  CHECK(slice.bytes == "there");
  CHECK(PaneLog(dir / "elsewhere/b/pane-@3.log").read(0, 1000).bytes == "moved");
  std::filesystem::rename(dir / "a/b/pane-@3.log", dir / "taken");
  append(writer, "again");
  CHECK(PaneLog(dir / "a/b/pane-@3.log").read(10, 1000).bytes == "again");
  CHECK(content_of(dir / "taken") == "there");
}

TEST_CASE("a sidecar that somebody removed costs what was logged before, never an offset") {
  const TempDir dir;
  LogFiles writer = writer_of(dir / "pane-@3.log", {});
  append(writer, "before");
  std::filesystem::remove(dir / "pane-@3.log.index");
  append(writer, "after");
  const PaneLog::Slice slice = PaneLog(dir / "pane-@3.log").read(0, 1000);
  CHECK(slice.gap_bytes == 6);
  CHECK(slice.bytes == "after");
  CHECK(content_of(dir / "pane-@3.00000000000000000000.log") == "before");
}

TEST_CASE("R14: a clock that is set makes no log older") {
  const SureTime then{.boot = "a", .boot_s = 1000, .wall_s = 5'000'000, .sure_s = 70};
  const auto sure = [&then](const char* boot, std::uint64_t boot_s, std::uint64_t wall_s) {
    return with_sure_time(then, {.boot = boot, .boot_s = boot_s, .wall_s = wall_s, .sure_s = 0}).sure_s;
  };
  CHECK(sure("a", 1060, 5'000'060) == 130);
  CHECK(sure("a", 1060, 5'000'060 + 3600) == 130);
  CHECK(sure("a", 1060, 315'360'000 + 5'000'000) == 130);  // ten years on
  CHECK(sure("a", 1060, 0) == 130);
  CHECK(sure("b", 20, 5'000'500) == 570);                        // the machine was off
  CHECK(sure("b", 20, 315'360'000 + 5'000'000) == 70 + 86'400);  // or its clock lost its battery
  CHECK(sure("b", 20, 1) == 70);
}
