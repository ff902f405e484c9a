#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "log/log_record.hpp"
#include "log/pane_log.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::TempDir;

namespace {

struct ModelLines {
  std::string bytes;
  std::uint64_t lines = 0;
};

// The obvious way: split, take the last, cut.
ModelLines naive_last_lines(const std::string& file, std::uint64_t count, std::size_t max_bytes) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t end = std::min(file.find('\n', at), file.size() - 1) + 1;
    lines.push_back(file.substr(at, end - at));
    at = end;
  }
  const std::size_t skip = lines.size() - std::min<std::uint64_t>(count, lines.size());
  ModelLines result;
  for (std::size_t i = lines.size(); i > skip && result.bytes.size() < max_bytes; --i) {
    result.bytes.insert(0, lines[i - 1]);
    ++result.lines;
  }
  if (result.bytes.size() > max_bytes) {
    result.bytes.erase(0, result.bytes.size() - max_bytes);
  }
  return result;
}

/// A log and its sidecar on disk, and what they should mean: every offset with its byte, or nullopt where it
/// is gone.
class ModelLog {
 public:
  explicit ModelLog(std::filesystem::path path) : path_(std::move(path)) { record(LogRecord::Kind::start); }

  void append(const std::string& bytes) {
    append_to(path_, bytes);
    file += bytes;
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  void drop(std::size_t count) {
    all.insert(all.end(), count, std::nullopt);
    record(LogRecord::Kind::gap);
  }
  void restart() {
    record(LogRecord::Kind::start);
    unknown.push_back(all.size());
  }

  std::string file;
  std::vector<std::optional<char>> all;
  std::vector<std::uint64_t> unknown;

 private:
  void record(LogRecord::Kind kind) {
    const auto line = encode({.kind = kind, .offset = all.size(), .position = file.size(), .time_ms = 0});
    append_to(path_.string() + std::string(kLogSidecarSuffix), {line.data(), line.size()});
  }
  std::filesystem::path path_;
};

void check_read(const ModelLog& model, const PaneLog& log, std::uint64_t from, std::size_t max_bytes) {
  CAPTURE(from);
  CAPTURE(max_bytes);
  const PaneLog::Slice slice = log.read(from, max_bytes);
  const std::uint64_t end = model.all.size();
  std::uint64_t first = std::min(from, end);
  while (first < end && !model.all[first]) {
    ++first;
  }
  CHECK(slice.from == first);
  CHECK(slice.gap_bytes == (first > from ? std::optional(first - from) : std::nullopt));
  CHECK(slice.next == first + slice.bytes.size());
  CHECK(slice.eof == (slice.next == end));
  CHECK((first == end || !slice.bytes.empty()));
  REQUIRE(slice.bytes.size() <= max_bytes);
  REQUIRE(slice.next <= end);
  bool same = true;
  bool crosses_unknown = false;
  for (std::uint64_t at = first; at < slice.next; ++at) {
    same = same && model.all[at] == slice.bytes[at - first];
    crosses_unknown = crosses_unknown || (at > first && std::ranges::count(model.unknown, at) > 0);
  }
  CHECK(same);
  CHECK_FALSE(crosses_unknown);
}

void check_last_lines(const ModelLog& model, const PaneLog& log, std::uint64_t count, std::size_t max_bytes) {
  CAPTURE(count);
  CAPTURE(max_bytes);
  const PaneLog::Tail tail = log.last_lines(count, max_bytes);
  const ModelLines expected = naive_last_lines(model.file, count, max_bytes);
  CHECK(tail.bytes == expected.bytes);
  CHECK(tail.lines == expected.lines);
  CHECK(tail.next == model.all.size());
  CHECK(tail.gap_bytes == tail.next - tail.from - tail.bytes.size());
  CHECK(tail.truncated == (tail.from > 0));
  if (!tail.bytes.empty()) {
    const auto kept_before = static_cast<std::size_t>(
        std::count_if(model.all.begin(), model.all.begin() + static_cast<std::ptrdiff_t>(tail.from),
                      [](const auto& byte) { return byte.has_value(); }));
    CHECK(kept_before == model.file.size() - tail.bytes.size());
    CHECK(model.all[tail.from].has_value());
  }
}

}  // namespace

TEST_CASE(
    "T9: reads at every offset give the bytes of that offset or say how many are gone, like the model") {
  std::mt19937 random(20260101);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    const TempDir dir;
    ModelLog model(dir / "pane-@1.log");
    const PaneLog log(dir / "pane-@1.log");
    for (unsigned step = below(8); step > 0; --step) {
      switch (below(4)) {
        case 0:
          model.drop(1 + below(9));
          break;
        case 1:
          model.restart();
          break;
        default:
          std::string bytes(1 + below(30), '\0');
          std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
          model.append(bytes);
      }
    }
    CHECK(log.end() == model.all.size());
    for (std::uint64_t from = 0; from <= model.all.size() + 2; ++from) {
      for (const std::size_t max_bytes : {1U, 2U, 7U, 1000U}) {
        check_read(model, log, from, max_bytes);
      }
    }
  }
}

TEST_CASE("T5: the last lines are those of the naive reader, with line ends at every place of a block") {
  std::mt19937 random(20260102);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const TempDir dir;
    ModelLog model(dir / "pane-@1.log");
    const unsigned line_length = 1 + below(6);
    for (unsigned step = below(5); step > 0; --step) {
      std::string bytes(below(25), 'x');
      std::ranges::generate(
          bytes, [&] { return below(line_length) == 0 ? '\n' : static_cast<char>('a' + below(26)); });
      model.append(bytes);
      if (below(4) == 0) {
        model.drop(1 + below(5));
      }
    }
    for (const std::size_t block_bytes : {1U, 2U, 3U, 8U, 4096U}) {
      CAPTURE(block_bytes);
      const PaneLog log(dir / "pane-@1.log", block_bytes);
      for (const std::uint64_t count : {0U, 1U, 2U, 3U, 5U, 10U, 1'000'000U}) {
        for (const std::size_t max_bytes : {0U, 1U, 2U, 3U, 9U, 16U, 100'000U}) {
          check_last_lines(model, log, count, max_bytes);
        }
      }
    }
  }
}

TEST_CASE("T5: an unfinished last line counts as a line, a line end at the end of the log begins none") {
  const TempDir dir;
  const PaneLog log(dir / "log");
  append_to(dir / "log", "one\r\ntwo\r\nthree\r\n");
  CHECK(log.last_lines(2, 1000).bytes == "two\r\nthree\r\n");
  append_to(dir / "log", "$ ");
  const PaneLog::Tail tail = log.last_lines(2, 1000);
  CHECK(tail.bytes == "three\r\n$ ");
  CHECK(tail.from == 10);
  CHECK(tail.lines == 2);
  CHECK(tail.truncated);
  CHECK_FALSE(log.last_lines(4, 1000).truncated);
}

TEST_CASE("a log that nothing was printed to yet reads as empty") {
  const TempDir dir;
  for (const std::string name : {"missing", "no-such-directory/missing"}) {
    const PaneLog log(dir / name);
    CHECK(log.end() == 0);
    const PaneLog::Slice slice = log.read(0, 100);
    CHECK(slice.bytes.empty());
    CHECK(slice.next == 0);
    CHECK(slice.eof);
    const PaneLog::Tail tail = log.last_lines(10, 1000);
    CHECK(tail.bytes.empty());
    CHECK(tail.lines == 0);
    CHECK_FALSE(tail.truncated);
  }
}

TEST_CASE("a read beyond the end returns nothing and leads back to the end") {
  const TempDir dir;
  append_to(dir / "log", "12345");
  const PaneLog::Slice slice = PaneLog(dir / "log").read(1000, 10);
  CHECK(slice.bytes.empty());
  CHECK(slice.next == 5);
  CHECK(slice.eof);
  CHECK_FALSE(slice.gap_bytes);
}

TEST_CASE("bytes that nobody counted are told once to a reader that follows") {
  const TempDir dir;
  ModelLog model(dir / "log");
  const PaneLog log(dir / "log");
  model.append("before");
  model.restart();
  CHECK_FALSE(
      log.read(6, 100).gap_unknown);  // nothing after it yet: a reader that polls is not told again and again
  model.append("after");
  CHECK(log.read(0, 100).bytes == "before");
  CHECK_FALSE(log.read(0, 100).gap_unknown);
  const PaneLog::Slice slice = log.read(6, 100);
  CHECK(slice.bytes == "after");
  CHECK(slice.gap_unknown);
  CHECK_FALSE(slice.gap_bytes);
  CHECK_FALSE(log.read(7, 100).gap_unknown);
  CHECK(log.last_lines(1, 1000).bytes == "beforeafter");
  CHECK(log.last_lines(1, 1000).gap_unknown);
  CHECK_FALSE(log.last_lines(1, 3).gap_unknown);
}

TEST_CASE("what cannot be read is an error that names the file") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "directory");
  std::filesystem::create_symlink(dir / "target", dir / "symlink");
  append_to(dir / "target", "not for us");
  for (const std::string name : {"directory", "symlink"}) {
    CAPTURE(name);
    bool refused = false;
    try {
      static_cast<void>(PaneLog(dir / name).read(0, 10));
    } catch (const Error& error) {
      refused = error.code() == ErrorCode::io;
      CHECK(std::string(error.what()).find(name) != std::string::npos);
    }
    CHECK(refused);
  }
}

TEST_CASE("T9: a log of 10 GB and a line of 10 GB are normal input") {
  const TempDir dir;
  append_to(dir / "log", "first\n");
  const std::uint64_t size = 10'000'000'000;  // sparse: the middle is one line of zeros
  REQUIRE(::truncate((dir / "log").c_str(), static_cast<off_t>(size)) == 0);
  const PaneLog log(dir / "log");
  const PaneLog::Tail cut = log.last_lines(1, 262'144);
  CHECK(cut.bytes.size() == 262'144);
  CHECK(cut.from == size - 262'144);
  CHECK(cut.truncated);
  append_to(dir / "log", "\nlast\n");
  CHECK(log.end() == size + 6);
  CHECK(log.last_lines(1, 1000).bytes == "last\n");
  CHECK(log.last_lines(1, 1000).from == size + 1);
  CHECK(log.read(size, 1000).bytes == "\nlast\n");
}
