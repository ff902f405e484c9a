#include "tab/command_log.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "log/log_record.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::TempDir;

namespace {

const std::string kOfCommand = "0123456789abcdef0123456789abcdef";

std::string start_record(const std::string& nonce = kOfCommand, const std::string& more = "") {
  return "\033]133;C;mcp=START:" + nonce + more + "\a";
}

std::string end_record_of(const std::string& nonce = kOfCommand, const std::string& more = "") {
  return "\033]133;D;7;mcp=END:" + nonce + more + "\a";
}

/// A log on disk, and the command that was typed where it ended.
struct TypedInLog {
  explicit TypedInLog(const std::string& before = "$ an echo of what was typed\r\n")
      : path(directory / "pane.log"), file(path), log(file) {
    append_to(path, before);
    begin = before.size();
    log.begin(kOfCommand, begin, begin);
  }

  /// Appends to the log, and reads until there is nothing more to read.
  void comes(std::string_view bytes) {
    append_to(path, bytes);
    while (!log.read() && log.goes_on()) {
    }
  }

  [[nodiscard]] std::string output() const {
    const std::uint64_t end = log.end() ? log.trimmed_end() : log.output_end();
    return file.read(log.start(), static_cast<std::size_t>(end - log.start())).bytes;
  }

  TempDir directory;
  std::filesystem::path path;
  PaneLog file;
  CommandLog log;
  std::uint64_t begin = 0;
};

}  // namespace

TEST_CASE("command log: the output is what stands between START and END, at every split") {
  const std::string all = start_record() + "one\r\ntwo" + end_record_of() + "$ ";
  for (std::size_t split = 0; split <= all.size(); ++split) {
    CAPTURE(split);
    TypedInLog typed;
    typed.comes(std::string_view(all).substr(0, split));
    // Nothing is shown as output that may still become part of a record.
    CHECK(std::string("one\r\ntwo").starts_with(typed.log.has_start() ? typed.output() : ""));
    typed.comes(std::string_view(all).substr(split));
    REQUIRE(typed.log.end());
    CHECK(typed.log.end()->exit_code == 7);
    CHECK(typed.output() == "one\r\ntwo");
    CHECK(typed.log.start() == typed.begin + start_record().size());
  }
}

TEST_CASE("command log: what is not of this command, or of this time, is output") {
  const std::string other(32, 'f');
  TypedInLog typed;
  const std::string forged = start_record(other) + "x" + end_record_of(other) + start_record() + "y" +
                             end_record_of(kOfCommand, ";by=refused") + "z";
  typed.comes(end_record_of(other) + start_record());
  const std::uint64_t start = typed.log.start();
  typed.comes(forged);
  CHECK_FALSE(typed.log.end());
  CHECK(typed.log.start() == start);  // a second START is not taken, and who refused it had not begun it
  typed.comes(end_record_of());
  CHECK(typed.output() == forged);
}

TEST_CASE("command log: a shell that refuses a command ends it where it never began") {
  TypedInLog typed;
  typed.comes("damaged" + end_record_of(kOfCommand, ";by=refused"));
  CHECK_FALSE(typed.log.has_start());
  REQUIRE(typed.log.end());
  CHECK(typed.log.end()->by == Marker::By::refused);
  typed.log.forget_end();
  CHECK_FALSE(typed.log.end());
}

TEST_CASE("command log: nothing of it is known before it is typed, or once it is withdrawn") {
  TypedInLog typed;
  typed.log.forget();
  typed.comes(start_record() + "x" + end_record_of());
  CHECK_FALSE(typed.log.has_start());
  CHECK_FALSE(typed.log.end());
  CHECK(typed.log.output_end() == typed.begin);

  const std::uint64_t again = typed.begin + 1;  // typed again, within what is there by now
  typed.log.begin(std::string(32, 'a'), again, again);
  typed.comes(start_record(std::string(32, 'a')));
  CHECK(typed.log.has_start());
}

TEST_CASE("command log: where output began is known from a record before START is read again") {
  TypedInLog typed;
  typed.log.begin(kOfCommand, typed.begin, typed.begin + 10);
  CHECK(typed.log.start() == typed.begin + 10);
  CHECK(typed.log.output_end() == typed.begin + 10);
  CHECK_FALSE(typed.log.output_is_known());
}

TEST_CASE("command log: a look takes a few milliseconds, however much there is") {
  TypedInLog typed;
  append_to(typed.path, start_record());
  append_to(typed.path, std::string(std::size_t{5} * 1024 * 1024, 'x'));
  append_to(typed.path, end_record_of());
  CHECK_FALSE(typed.log.read());
  CHECK(typed.log.goes_on());
  const std::uint64_t first = typed.log.read_to();
  CHECK(first < typed.begin + std::uint64_t{3} * 1024 * 1024);
  CHECK_FALSE(typed.log.read());
  CHECK(typed.log.read_to() > first);
  typed.comes("");
  CHECK_FALSE(typed.log.goes_on());
  CHECK(typed.output().size() == std::size_t{5} * 1024 * 1024);
}

TEST_CASE("command log: when it grew, and when it could be read") {
  TypedInLog typed;
  typed.comes("x");
  const auto grew = typed.log.grew();
  const auto read_well = typed.log.read_well();
  while (Clock::now() == grew) {
  }
  typed.comes("");
  CHECK(typed.log.grew() == grew);
  CHECK(typed.log.read_well() > read_well);
  typed.comes("y");
  CHECK(typed.log.grew() > grew);
}

TEST_CASE("command log: a log that cannot be read is told, and read on when it can be") {
  TypedInLog typed;
  typed.comes(start_record() + "one ");
  const auto read_well = typed.log.read_well();
  const auto aside = typed.directory / "aside";
  std::filesystem::rename(typed.path, aside);
  std::filesystem::create_directory(typed.path);
  append_to(aside, "two" + end_record_of());
  CHECK_THROWS_AS(typed.log.read(), Error);
  CHECK(typed.log.unreadable());
  CHECK(typed.log.read_well() == read_well);
  std::filesystem::remove(typed.path);
  std::filesystem::rename(aside, typed.path);
  typed.comes("");
  CHECK_FALSE(typed.log.unreadable());
  CHECK(typed.output() == "one two");
}

TEST_CASE("command log: the lines of our own that a tracing shell prints are no output") {
  struct Traced {
    const char* name;
    std::string behind_start;
    std::string before_end;
    const char* output;
  };
  const Traced cases[] = {
      {"bash, both ends", "+ . /run/te/0.c\r\n", "+ . /run/te/0.e\r\n", "out\r\n"},
      {"more than one line of ours", "+ . /run/te/0.c\r\n++ te_x=1\r\n", "", "out\r\n"},
      {"a newline at the start of PS4", "\r\n+ . /run/te/0.c\r\n", "", "out\r\n"},
      {"a blank line that is the command's own", "", "", "\r\nout\r\n"},
      {"a line of the command's that stands between", "hello\r\n+ . /run/te/0.c\r\n", "",
       "hello\r\n+ . /run/te/0.c\r\nout\r\n"},
      {"several before END", "", "++ te_x=2\r\n+ . /run/te/0.e\r\n", "out\r\n"},
      {"not those that the command printed further up", "", "+ . /run/te/0.c\r\nlast\r\n",
       "out\r\n+ . /run/te/0.c\r\nlast\r\n"},
  };
  for (const Traced& traced : cases) {
    CAPTURE(traced.name);
    const std::string all = start_record(kOfCommand, ";x=1") + traced.behind_start +
                            (std::string_view(traced.output).starts_with("\r\nout") ? "\r\n" : "") +
                            "out\r\n" + traced.before_end + end_record_of(kOfCommand, ";x=1");
    for (std::size_t split = 0; split <= all.size(); ++split) {
      CAPTURE(split);
      TypedInLog typed;
      typed.log.set_own_lines({". /run/te", "te_"});
      typed.comes(std::string_view(all).substr(0, split));
      // Until it is known which lines are ours, no output is.
      CHECK((!typed.log.output_is_known() ||
             typed.log.start() >= typed.begin + start_record(kOfCommand, ";x=1").size()));
      typed.comes(std::string_view(all).substr(split));
      CHECK(typed.output() == traced.output);
    }
  }
}

TEST_CASE("command log: a trace without an end holds no output up") {
  TypedInLog typed;
  typed.log.set_own_lines({". /run/te"});
  typed.comes(start_record(kOfCommand, ";x=1"));
  CHECK_FALSE(typed.log.output_is_known());  // a line of ours may come
  typed.comes(std::string(5'000, 'x'));
  CHECK(typed.log.output_is_known());
  CHECK(typed.output() == std::string(5'000, 'x'));
}

TEST_CASE("command log: only a tracing shell prints lines of ours") {
  TypedInLog typed;
  typed.log.set_own_lines({". /run/te"});
  typed.comes(start_record() + ". /run/te/0.c\r\n" + end_record_of());
  CHECK(typed.output() == ". /run/te/0.c\r\n");
}

TEST_CASE("command log: no record is put together of what stands before and behind an unknown gap (V5)") {
  const std::string all = start_record() + "out" + end_record_of();
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    CAPTURE(cut);
    TypedInLog typed;
    typed.comes(std::string_view(all).substr(0, cut));
    const std::uint64_t size = std::filesystem::file_size(typed.path);
    std::string index;
    for (const std::uint64_t at : {std::uint64_t{0}, size}) {  // its writer died, and another came
      const LogRecordLine line = encode(LogRecord{LogRecord::Kind::start, at, at, 1});
      index.append(line.data(), line.size());
    }
    append_to(typed.path.string() + std::string(kLogSidecarSuffix), index);
    typed.comes(std::string_view(all).substr(cut));
    const std::size_t start_ends = start_record().size();
    const std::size_t end_begins = start_ends + 3;
    CHECK(typed.log.has_start() == (cut >= start_ends));
    CHECK(typed.log.end().has_value() == (cut <= end_begins));
  }
}
