#include "tmux/command_results.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>
#include <vector>

#include "config_in.hpp"
#include "instance/tab_ids.hpp"
#include "manager_scene.hpp"
#include "secrets/secrets.hpp"
#include "secrets/text_guard.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

const std::string kNonceOfResult = "0123456789abcdef0123456789abcdef";

std::string start_marker() {
  return "\x1b]133;C;mcp=START:" + kNonceOfResult + "\x07";
}
std::string end_marker(int code) {
  return "\x1b]133;D;" + std::to_string(code) + ";mcp=END:" + kNonceOfResult + "\x07";
}

/// A tab that is closed, of which the log and the records are left.
struct ToldOf {
  boost::asio::io_context io{1};
  test::TempDir directory;
  Config config = test::config_in(directory.path());
  Instance instance{config, "unit"};
  TabPtr tab;
  TextWorker texts;
  CommandResults results{texts};
  CommandRecord record;
  ShowOutput how;

  ToldOf() {
    std::filesystem::create_directories(instance.generation(1));
    std::filesystem::create_directories(instance.runtime());
    tab = std::make_shared<Tab>(WindowId{3}, home_of(instance, 1, WindowId{3}));
    record.id = "01234567";
    record.nonce = kNonceOfResult;
    record.command = "make";
    record.state = CommandState::completed;
    how.view.strip_ansi = true;
    how.max_bytes = 1'000;
    how.by = Clock::now() + Milliseconds(20'000);
  }
  /// The output, between START and END.
  void print(const std::string& output) {
    test::append_to(tab->log.path(), "$ typed\r\n" + start_marker());
    record.start_byte = tab->log.end();
    test::append_to(tab->log.path(), output);
    record.end_byte = tab->log.end();
    test::append_to(tab->log.path(), end_marker(0) + "$ ");
  }
  CommandResult told() { return test::run(io, results.of(tab, record, how)); }
};

}  // namespace

TEST_CASE("command results: what is on record is told as it is, for every state and reason") {
  ToldOf told_of;
  told_of.print("output\r\n");
  for (const CommandState state :
       {CommandState::running, CommandState::completed, CommandState::cancelled, CommandState::failed}) {
    for (const Reason reason :
         {Reason::none, Reason::timeout, Reason::cancelled_by_client, Reason::cancelled_by_person,
          Reason::interrupted_in_tab, Reason::shell_exited, Reason::tab_closed, Reason::tmux_server_lost,
          Reason::no_shell_answered, Reason::handed_over, Reason::awaiting_input}) {
      told_of.record.state = state;
      told_of.record.reason = reason;
      const CommandResult result = told_of.told();
      CHECK(result.state == state);
      CHECK(result.reason == reason);
      CHECK(result.output == "output\n");
      CHECK_FALSE(result.exit_code);       // never invented
      CHECK_FALSE(result.awaiting_input);  // the tab is closed
    }
  }
}

TEST_CASE("command results: every field of the record that a caller is told") {
  ToldOf told_of;
  told_of.print("12345");
  told_of.record.exit_code = 7;
  told_of.record.timed_out = true;
  told_of.record.started_at_ms = 1'700'000'000'123;
  told_of.record.duration_ms = 456;
  told_of.record.cwd = "/where";
  told_of.record.task_key = "key";
  told_of.record.notes = {"a note"};
  const CommandResult result = told_of.told();
  CHECK(result.command_id == "01234567");
  CHECK(result.window_id == WindowId{3});
  CHECK(result.command == "make");
  CHECK(result.exit_code == 7);
  CHECK(result.timed_out);
  CHECK(result.start_byte == told_of.record.start_byte);
  CHECK(result.end_byte == told_of.record.start_byte + 5);
  CHECK(result.output_bytes == 5);
  CHECK(result.omitted_bytes == 0);
  CHECK(result.started_at_ms == 1'700'000'000'123);
  CHECK(result.duration_ms == 456);
  CHECK(result.cwd == "/where");
  CHECK(result.task_key == "key");
  CHECK(result.notes == std::vector<std::string>{"a note"});
}

TEST_CASE("command results: one that never began has no output") {
  ToldOf told_of;
  test::append_to(told_of.tab->log.path(), "$ typed");
  told_of.record.start_byte = 7;
  told_of.record.end_byte = 0;
  const CommandResult result = told_of.told();
  CHECK(result.output.empty());
  CHECK(result.output_bytes == 0);
  CHECK(result.end_byte == 7);
}

TEST_CASE("command results: long output is cut in the middle, and its bytes are counted exactly") {
  ToldOf told_of;
  std::string output;
  for (int i = 0; i < 1'000; ++i) {
    output += "line " + std::to_string(i) + "\r\n";
  }
  told_of.print(output);
  const CommandResult result = told_of.told();
  CHECK(result.output_bytes == output.size());
  CHECK(result.output.starts_with("line 0\n"));
  CHECK(result.output.ends_with("line 999\n"));
  CHECK(result.omitted_bytes > output.size() - 1'200);
  const std::string says =
      "[... " + std::to_string(result.omitted_bytes) + " bytes left out: stream_logs_from_tab from_byte ";
  const std::size_t at = result.output.find(says);
  REQUIRE(at != std::string::npos);
  const std::uint64_t from = std::stoull(result.output.substr(at + says.size()));
  const std::uint64_t to = std::stoull(result.output.substr(result.output.find(" to ", at) + 4));
  CHECK(to - from == result.omitted_bytes);
  CHECK(from > told_of.record.start_byte);
  CHECK(to < told_of.record.end_byte);
}

TEST_CASE("command results: no output is shown where none is wanted, and nothing is lost of its count") {
  ToldOf told_of;
  told_of.print("12345");
  told_of.how.max_bytes = 0;
  const CommandResult result = told_of.told();
  CHECK(result.output_bytes == 5);
  CHECK(result.omitted_bytes == 5);
}

TEST_CASE("command results: a text that is not made in time is left out, and the call for it is named") {
  ToldOf told_of;
  told_of.print(std::string(100'000, 'x'));
  told_of.how.view.render = true;
  told_of.how.by = Clock::now() - Milliseconds(1);
  const CommandResult result = told_of.told();
  CHECK(result.output.empty());
  CHECK(result.omitted_bytes == 100'000);
  CHECK(result.output_bytes == 100'000);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0].starts_with("the text of the output, bytes " + std::to_string(result.start_byte) +
                                    " to " + std::to_string(result.end_byte) + " of the log, was not ready"));
}

TEST_CASE("command results: START and END that came into the log late are found there") {
  for (const bool start_is_late : {false, true}) {
    CAPTURE(start_is_late);
    ToldOf told_of;
    test::append_to(told_of.tab->log.path(), "$ typed\r\n");
    told_of.record.typed_byte = 2;
    told_of.record.unread_from = 2;
    test::append_to(told_of.tab->log.path(), start_marker());
    const std::uint64_t start = told_of.tab->log.end();
    test::append_to(told_of.tab->log.path(), "late output\r\n");
    const std::uint64_t end = told_of.tab->log.end();
    test::append_to(told_of.tab->log.path(), end_marker(0) + "$ and what a person typed then\r\n");
    told_of.record.start_byte = start_is_late ? 2 : start;
    told_of.record.end_byte = told_of.tab->log.end();
    CommandResult result = told_of.told();
    CHECK(result.start_byte == start);
    CHECK(result.end_byte == end);
    CHECK(result.output == "late output\n");

    told_of.record.unread_from = 0;  // all was read when it ended: the record says what is so
    result = told_of.told();
    CHECK(result.start_byte == told_of.record.start_byte);
    CHECK(result.end_byte == told_of.record.end_byte);
  }
}

TEST_CASE("command results: markers of another command, or behind what was printed for it, change nothing") {
  ToldOf told_of;
  std::string other = end_marker(0);
  other.replace(other.find("0123"), 4, "ffff");
  test::append_to(told_of.tab->log.path(), start_marker() + "out" + other + "put");
  told_of.record.start_byte = start_marker().size();
  told_of.record.end_byte = told_of.tab->log.end();
  told_of.record.unread_from = 1;
  CHECK(told_of.told().output == "output");
}

TEST_CASE(
    "command results: secrets are masked for a model, and our own files are called by no name of ours") {
  ToldOf told_of;
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KEY", "horse-staple-4713"));
  told_of.how.view.guard = std::make_shared<TextGuard>(secrets);
  told_of.print("key horse-staple-4713\r\n" + (told_of.instance.files() / "01234567u").string() +
                ": line 3: no\r\n");
  CHECK(told_of.told().output == "key «redacted:KEY»\ncommand: line 3: no\n");
  CHECK_FALSE(told_of.how.view.guard->note().empty());
}

TEST_CASE("command results: what is gone of the log is said") {
  ToldOf told_of;
  told_of.print("12345");
  told_of.record.end_byte = told_of.tab->log.end() + 100;  // a log that somebody cut
  const ShownOutput shown = test::run(
      told_of.io,
      told_of.results.show(told_of.tab, {told_of.record.start_byte, told_of.record.end_byte, false, 0},
                           told_of.how));
  CHECK(shown.text.starts_with("12345"));
}

TEST_CASE("command results: what is kept of an output has the bytes that were asked for, not one more (V3)") {
  for (const std::size_t length : {5'000U, 10'000'000U}) {
    for (const std::uint64_t most : {100U, 101U, 1'000U, 1'003U}) {
      CAPTURE(length);
      CAPTURE(most);
      ToldOf told_of;
      told_of.print(std::string(length, 'a'));
      told_of.how.max_bytes = most;
      const std::string output = told_of.told().output;
      const std::size_t says = output.find("[... ");
      REQUIRE(says != std::string::npos);
      const std::size_t tail = output.find('\n', says) + 1;
      CHECK(says + 1 <= most / 5);  // its newline has two bytes as JSON
      CHECK(output.size() - tail <= most - most / 5);
      CHECK(output.size() - tail + says + 8 >= most);
    }
  }
}

}  // namespace terminally
