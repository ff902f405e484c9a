// Runs the real terminally-log.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "log/log_record.hpp"
#include "log/pane_log.hpp"
#include "places.hpp"
#include "programs.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::content_of;
using test::eventually;
using test::PipedProgram;
using test::TempDir;

namespace {

constexpr std::size_t kMegabyte = std::size_t{1024} * 1024;
constexpr std::size_t kBacklog = 8 * kMegabyte;

// `drain_ms`: how long it tries on after its input has ended; empty: as in a tab.
Argv writer_argv(const std::string& log_path, const std::string& drain_ms) {
  Argv argv{test::kLogProgram, log_path};
  if (!drain_ms.empty()) {
    argv.insert(argv.end(), {"67108864", "1073741824", "0", drain_ms});
  }
  return argv;
}

class Writer : public PipedProgram {
 public:
  explicit Writer(const std::string& log_path, const std::string& drain_ms = "")
      : PipedProgram(writer_argv(log_path, drain_ms)), log_path_(log_path) {}

  /// What it takes for a full disk to be real for this process alone, whoever runs the test. A limit that it
  /// finds at its start is lifted.
  void limit_file_size(rlim_t bytes) const {
    REQUIRE(eventually([this] { return !content_of(log_path_ + ".index").empty(); }));
    const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    REQUIRE(::prlimit(pid(), RLIMIT_FSIZE, &limit, nullptr) == 0);
  }
  /// No figure of a sanitized one, which keeps what is freed: 0.
  [[nodiscard]] std::uint64_t resident_kilobytes() const {
    if (TERMINALLY_SANITIZED) {
      return 0;
    }
    const std::string status = content_of("/proc/" + std::to_string(pid()) + "/status");
    return std::stoull(status.substr(status.find("VmRSS:") + 6));
  }

 private:
  std::string log_path_;
};

// Bytes that tell their place, so that nothing lost, doubled or moved goes unseen.
std::string numbered(std::size_t count) {
  static std::string bytes;
  for (static std::size_t number = 0; bytes.size() < count; ++number) {
    bytes += std::to_string(number);
    bytes += "\r\n";
  }
  return bytes.substr(0, count);
}

std::size_t records(const std::filesystem::path& log_path) {
  return content_of(log_path.string() + ".index").size() / kLogRecordBytes;
}

bool holds(const std::filesystem::path& path, const std::string& bytes) {
  return eventually([&] { return content_of(path).size() >= bytes.size(); }) && content_of(path) == bytes;
}

}  // namespace

TEST_CASE("T11: the writer appends every byte at once, in files of the owner's only") {
  const TempDir dir;
  const auto path = dir / "pane-@1.log";
  Writer writer(path);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  writer.write(all);
  CHECK(holds(path, all));  // while the input is still open
  for (const auto& file : {path, dir / "pane-@1.log.index"}) {
    struct stat status{};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
  }
  const std::string more = numbered(3 * kMegabyte);
  writer.write(more);
  writer.end_input();
  CHECK(writer.wait() == 0);
  CHECK(content_of(path) == all + more);
  CHECK(records(path) == 1);
}

TEST_CASE("the writer outlives every signal that can be outlived") {
  const TempDir dir;
  Writer writer(dir / "log");
  writer.write("a");
  CHECK(holds(dir / "log", "a"));
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ}) {
    writer.signal(number);
  }
  writer.write("b");
  CHECK(holds(dir / "log", "ab"));
  writer.end_input();
  CHECK(writer.wait() == 0);
}

TEST_CASE("a stopped writer loses nothing") {
  const TempDir dir;
  Writer writer(dir / "log");
  writer.signal(SIGSTOP);
  writer.write("printed while it stood still");
  writer.signal(SIGCONT);
  CHECK(holds(dir / "log", "printed while it stood still"));
}

TEST_CASE("a full disk stops at the exact byte, and all that was kept follows when there is space again") {
  const TempDir dir;
  Writer writer(dir / "log");
  writer.limit_file_size(100'001);
  const std::string bytes = numbered(5 * kMegabyte);
  writer.write(bytes);
  REQUIRE(eventually([&] { return writer.has_read_all(); }));
  CHECK(content_of(dir / "log") == bytes.substr(0, 100'001));
  writer.limit_file_size(200'003);
  CHECK(holds(dir / "log", bytes.substr(0, 200'003)));
  writer.limit_file_size(RLIM_INFINITY);
  CHECK(holds(dir / "log", bytes));
  CHECK(eventually([&] { return records(dir / "log") == 1; }));  // no gap, and nothing waits
  writer.end_input();
  CHECK(writer.wait() == 0);
}

TEST_CASE(
    "what does not fit in 8 MB during a full disk is a gap of exactly known size, and offsets stay true") {
  const TempDir dir;
  Writer writer(dir / "log");
  constexpr std::size_t kLimit = 4'099;
  constexpr std::size_t kKept = kLimit + kBacklog;
  writer.limit_file_size(kLimit);
  const std::string bytes = numbered(13 * kMegabyte + 7);
  writer.write(bytes);
  REQUIRE(eventually([&] { return writer.has_read_all(); }));
  const PaneLog log(dir / "log");
  REQUIRE(eventually([&] { return log.counted_end() == bytes.size(); }));  // D26: while it takes nothing
  CHECK(log.end() == kLimit);
  const PaneLog::Gap so_far = log.extent().gap;
  CHECK(so_far.bytes == bytes.size() - kKept);
  CHECK(so_far.unwritten == so_far.bytes);
  CHECK(so_far.waiting == kBacklog);
  CHECK(so_far.error == EFBIG);
  CHECK(log.read(kLimit, 1000).next == kLimit);
  CHECK(log.read(bytes.size(), 1000).next == bytes.size());
  writer.limit_file_size(RLIM_INFINITY);
  REQUIRE(eventually([&] { return log.end() == bytes.size(); }));
  CHECK(records(dir / "log") == 2);
  writer.write("after");

  CHECK(holds(dir / "log", bytes.substr(0, kKept) + "after"));
  CHECK(log.end() == bytes.size() + 5);
  const PaneLog::Slice before = log.read(kKept - 3, 1000);
  CHECK(before.bytes == bytes.substr(kKept - 3, 3));
  CHECK(before.next == kKept);
  CHECK_FALSE(before.eof);
  const PaneLog::Slice after = log.read(kKept, 1000);
  CHECK(after.gap_bytes == bytes.size() - kKept);
  CHECK_FALSE(after.gap_unknown);
  CHECK(after.from == bytes.size());
  CHECK(after.bytes == "after");
  CHECK(after.eof);
  const PaneLog::Gap told = log.extent().gap;  // the same, by its record
  CHECK(told.bytes == so_far.bytes);
  CHECK(told.unwritten == so_far.bytes);
  CHECK(told.waiting == 0);
  CHECK(told.error == EFBIG);
  CHECK(
      eventually([&] { return writer.resident_kilobytes() < 2048; }));  // the backlog's memory is given back
}

TEST_CASE("what is kept when the input ends is written while there may be space again, and else counted") {
  const TempDir dir;
  const std::string bytes = numbered(1'000);
  Writer never(dir / "never", "150");  // gives up then; meanwhile, and later than that, the other goes on
  Writer later(dir / "later");
  for (Writer* writer : {&never, &later}) {
    writer->limit_file_size(600);
    writer->write(bytes);
    REQUIRE(eventually([&] { return writer->has_read_all(); }));
    writer->end_input();
  }
  CHECK(never.wait() == 0);
  CHECK(content_of(dir / "never") == bytes.substr(0, 600));
  later.limit_file_size(RLIM_INFINITY);
  CHECK(later.wait() == 0);
  CHECK(content_of(dir / "later") == bytes);
  const PaneLog log(dir / "never");
  CHECK(log.end() == bytes.size());
  CHECK(log.extent().gap.bytes == bytes.size() - 600);
  CHECK_FALSE(log.extent().gap.unknown);
}

TEST_CASE("D39: the writer has not the limits of whoever started tmux, as far as it may lift them") {
  const TempDir dir;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 1'000, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  Writer writer(dir / "log");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  const std::string bytes = numbered(5'000);
  writer.write(bytes);
  CHECK(holds(dir / "log", bytes));
}

TEST_CASE("a full file system holds the log up, and freed space lets it go on") {
  const TempDir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    FAIL("this test needs root: it mounts a file system");
  }
  const std::string bytes = numbered(2 * kMegabyte);
  {
    append_to(dir / "ballast", std::string(kMegabyte / 2, 'x'));
    Writer writer(dir / "log");
    writer.write(bytes);
    CHECK(eventually([&] { return writer.has_read_all(); }));
    const std::string so_far = content_of(dir / "log");
    CHECK(so_far.size() < kMegabyte / 2);
    CHECK(so_far == bytes.substr(0, so_far.size()));
    CHECK(::mount("tmpfs", dir.path().c_str(), "tmpfs", MS_REMOUNT, "size=4m") == 0);
    CHECK(holds(dir / "log", bytes));
  }
  ::umount2(dir.path().c_str(), MNT_DETACH);
}

TEST_CASE(
    "D26: a writer that is killed, or given up, on a full file system leaves the count of what it had") {
  const TempDir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
    FAIL("this test needs root: it mounts a file system");
  }
  const PaneLog log(dir / "log");
  const std::string bytes = numbered(10 * kMegabyte);
  {
    Writer writer(dir / "log");
    writer.write(bytes);
    REQUIRE(eventually([&] { return log.counted_end() == bytes.size(); }));
    CHECK(log.extent().gap.error == ENOSPC);
  }  // kill -9
  CHECK(::mount("tmpfs", dir.path().c_str(), "tmpfs", MS_REMOUNT, "size=4m") == 0);
  {
    Writer writer(dir / "log");
    writer.write("next");
    REQUIRE(eventually([&] { return log.end() == bytes.size() + 4; }));
    const PaneLog::Extent extent = log.extent();
    CHECK(extent.gap.bytes == bytes.size() + 4 - content_of(dir / "log").size());
    CHECK(extent.gap.unknown);
  }
  ::umount2(dir.path().c_str(), MNT_DETACH);
}

TEST_CASE("a writer that cannot open its log yet keeps what comes") {
  const TempDir dir;
  Writer writer(dir / "later" / "log");
  writer.write("early");
  REQUIRE(eventually([&] { return writer.has_read_all(); }));
  std::filesystem::create_directory(dir / "later");
  CHECK(holds(dir / "later" / "log", "early"));
}

TEST_CASE("T11: a writer started again goes on at the right offset and says that bytes may be missing") {
  const TempDir dir;
  const PaneLog log(dir / "log");
  {
    Writer writer(dir / "log");
    writer.limit_file_size(10);
    writer.write(numbered(10 + kBacklog + 100));  // a gap of 100 bytes
    REQUIRE(eventually([&] { return writer.has_read_all(); }));
    writer.limit_file_size(RLIM_INFINITY);
    REQUIRE(eventually([&] { return log.end() == 10 + kBacklog + 100; }));
  }  // kill -9
  Writer writer(dir / "log");
  writer.write("second life");
  const std::uint64_t begin = 10 + kBacklog + 100;
  REQUIRE(eventually([&] { return log.end() == begin + 11; }));
  const PaneLog::Slice slice = log.read(begin - 1, 100);
  CHECK(slice.gap_bytes == 1);
  CHECK(slice.gap_unknown);
  CHECK(slice.from == begin);
  CHECK(slice.bytes == "second life");
}

TEST_CASE(
    "T11: a writer killed at any moment leaves a beginning of what was printed, at the offsets it had") {
  const TempDir dir;
  const PaneLog log(dir / "log");
  const std::string bytes = numbered(60'000);  // fits the pipe: printing never waits for the writer
  for (int life = 0; life < 25; ++life) {
    CAPTURE(life);
    const std::string before = content_of(dir / "log");
    {
      Writer writer(dir / "log");
      writer.write(bytes);
      if (life % 2 == 1) {  // else on a slow machine none of them would come to its first byte
        REQUIRE(eventually([&] { return content_of(dir / "log").size() > before.size(); }));
      }
      std::this_thread::sleep_for(
          std::chrono::microseconds(life * 100));  // the moment, not a wait for anything
    }
    const std::string after = content_of(dir / "log");
    CHECK(after == before + bytes.substr(0, after.size() - before.size()));
    CHECK(log.end() == after.size());
    CHECK(log.last_lines(1'000'000, after.size()).bytes == after);
  }
}

TEST_CASE("a torn record and a log without a sidecar do not confuse a new writer") {
  const TempDir dir;
  append_to(dir / "log", "old bytes");
  append_to(dir / "log.index", "start 0000");
  Writer writer(dir / "log");
  writer.write(" new");
  CHECK(holds(dir / "log", "old bytes new"));
  CHECK(content_of(dir / "log.index").starts_with("start 00000000000000000009 00000000000000000009 "));
  CHECK(records(dir / "log") == 1);
  CHECK(PaneLog(dir / "log").read(9, 10).gap_unknown);
}

TEST_CASE("a second writer on a log waits until the first has drained its input") {
  const TempDir dir;
  Writer first(dir / "log");
  first.write("1");
  REQUIRE(holds(dir / "log", "1"));
  Writer second(dir / "log");
  second.write("2");
  REQUIRE(eventually([&] { return second.has_read_all(); }));
  first.write("1");
  REQUIRE(holds(dir / "log", "11"));
  first.end_input();
  CHECK(first.wait() == 0);
  CHECK(holds(dir / "log", "112"));
  CHECK(records(dir / "log") == 2);
}

TEST_CASE("the writer stays under 2 MB resident") {
  const TempDir dir;
  Writer writer(dir / "log");
  const std::string bytes = numbered(4 * kMegabyte);
  writer.write(bytes);
  REQUIRE(holds(dir / "log", bytes));
  CHECK(writer.resident_kilobytes() < 2048);
}

TEST_CASE("the writer does not follow a symbolic link out of the log directory") {
  const TempDir dir;
  append_to(dir / "elsewhere", "precious");
  std::filesystem::create_symlink(dir / "elsewhere", dir / "log");
  Writer writer(dir / "log");
  writer.write("bytes");
  REQUIRE(eventually([&] { return writer.has_read_all(); }));
  std::filesystem::remove(dir / "log");
  CHECK(holds(dir / "log", "bytes"));
  CHECK(content_of(dir / "elsewhere") == "precious");
}
