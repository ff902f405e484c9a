#include "record/records.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "base/files.hpp"
#include "log/backward_lines.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

CommandRecord record_of(const std::string& id, const std::string& command,
                        CommandState state = CommandState::completed) {
  CommandRecord record;
  record.id = id;
  record.nonce = id + std::string(24, '0');
  record.command = command;
  record.state = state;
  return record;
}

std::string id_of(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - digits.size(), '0') + digits;
}

}  // namespace

TEST_CASE("D39: records are kept below the limit of file sizes") {
  const test::TempDir directory;
  CommandRecords records(directory.path() / "pane-@1.commands");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{64 * 1024, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::size_t refused = 0;
  for (std::size_t n = 1; n <= 400; ++n) {
    refused += records.append(record_of(id_of(n), std::string(500, 'x'))).empty() ? 0 : 1;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(refused == 0);
  CHECK(records.find(id_of(400)).has_value());
  CHECK(records.find(id_of(390)).has_value());
}

TEST_CASE("records: what is written is read, the last line of an id counts") {
  const test::TempDir directory;
  CommandRecords records(directory.path() / "pane-@1.commands");
  CHECK(records.load().empty());
  CHECK_FALSE(records.latest());
  CommandRecord record =
      record_of("00000001", "make \"quoted\" \xFF\n\"id\":\"0000000f\"", CommandState::running);
  record.who = "client 1";
  record.task_key = "0123456789abcdef0123456789abcdef";
  record.deadline_steady_ms = 123;
  record.started_ticks = 45;
  record.shell_pid = 67;
  records.append(record);
  records.append(record_of("00000002", "other"));
  record.state = CommandState::failed;
  record.reason = Reason::tmux_server_lost;
  record.exit_code = 7;
  records.append(record);
  CHECK(records.load().size() == 2);
  CHECK_FALSE(records.find("0000000f"));
  const auto found = records.find("00000001");
  REQUIRE(found);
  CHECK(found->state == CommandState::failed);
  CHECK(found->reason == Reason::tmux_server_lost);
  CHECK(found->exit_code == 7);
  CHECK(found->who == "client 1");
  CHECK(found->task_key == record.task_key);
  CHECK(found->deadline_steady_ms == 123);
  CHECK(found->started_ticks == 45);
  CHECK(found->shell_pid == 67);
  CHECK_FALSE(found->signalled);
  CHECK(found->notes.empty());
  record.notes = {"a \"note\"", "\xFF"};
  records.append(record);
  CHECK(records.find("00000001")->notes == std::vector<std::string>{"a \"note\"", "\xEF\xBF\xBD"});
  record.signalled = true;
  records.append(record);
  CHECK(records.find("00000001")->signalled);
  CHECK(records.load(1).front().id == "00000001");
  record.withdrawn = true;
  records.append(record);
  CHECK_FALSE(records.find("00000001"));
  CHECK(records.latest()->id == "00000002");
}

TEST_CASE("records: a line torn anywhere is skipped, and does not spoil the one after it") {
  const test::TempDir directory;
  const auto path = directory.path() / "pane-@1.commands";
  const std::string first = encode_record(record_of("00000001", "first"));
  const std::string torn = encode_record(record_of("00000002", "torn"));
  for (std::size_t size = 0; size < torn.size(); ++size) {
    write_file(path, first + torn.substr(0, size));
    CommandRecords records(path);
    const bool whole = size == torn.size() - 1;  // but for its newline
    CHECK(records.latest()->id == (whole ? "00000002" : "00000001"));
    records.append(record_of("00000003", "third"));
    CHECK(records.load().size() == (whole ? 3 : 2));
    CHECK(records.latest()->command == "third");
  }
  write_file(path, first + std::string(100, '\0') + "\n{}\n[1]\n" + torn);  // after a power loss
  CHECK(CommandRecords(path).load().size() == 2);
}

TEST_CASE("records: a line with numbers that none of ours has is skipped") {
  CommandRecord record = record_of("00000001", "edited");
  record.start_byte = 100;
  record.end_byte = 200;
  const std::string line = encode_record(record);
  CHECK(decode_record(line));
  const auto with = [&line](const std::string& name, const std::string& value) {
    const std::size_t begin = line.find("\"" + name + "\":") + name.size() + 3;
    const std::size_t end = line[begin] == '[' ? line.find(']', begin) + 1 : line.find_first_of(",}", begin);
    return line.substr(0, begin) + value + line.substr(end);
  };
  for (const char* name : {"typed_byte", "start_byte", "end_byte", "started_at_ms", "started_steady_ms",
                           "deadline_steady_ms", "shell_pid", "duration_ms", "exit_code"}) {
    for (const char* value :
         {"9223372036854775807", "18446744073709551615", "-9223372036854775808", "1e308", "1.5", "\"1\""}) {
      CAPTURE(name);
      CAPTURE(value);
      CHECK_FALSE(decode_record(with(name, value)));
    }
  }
  CHECK_FALSE(decode_record(with("end_byte", "99")));
  CHECK_FALSE(decode_record(with("start_byte", "-1")));
  CHECK_FALSE(decode_record(with("older_jobs", "[4294967296]")));
  CHECK_FALSE(decode_record(with("older_jobs", "7")));
  CHECK(decode_record(with("shell_image", "18446744073709551615")));
  CHECK(decode_record(with("exit_code", "null")));
}

TEST_CASE("records: the way to the shell of a command") {
  CommandRecord record = record_of("00000001", "id");
  CHECK_FALSE(decode_record(encode_record(record))->shell_gateway);
  record.shell_gateway = ShellGateway{{1'234, 56'789}, "ssh", true, 17, 18};
  const auto read = decode_record(encode_record(record));
  REQUIRE(read->shell_gateway);
  CHECK(read->shell_gateway->process == ProcessId{1'234, 56'789});
  CHECK(read->shell_gateway->name == "ssh");
  CHECK(read->shell_gateway->ends_with_command);
  CHECK(read->shell_gateway->seen_steady_ms == 17);
  CHECK(read->shell_gateway->told_steady_ms == 18);
  for (const char* broken :
       {"7", "{}", R"({"pid":-1,"start_ticks":1,"name":"ssh","ends_with_command":true})"}) {
    CAPTURE(broken);
    std::string line = encode_record(record_of("00000001", "id"));
    line.insert(line.rfind('}'), R"(,"shell_gateway":)" + std::string(broken));
    CHECK_FALSE(decode_record(line));
  }
}

TEST_CASE("records: bounded, the last commands are kept, also while another process appends") {
  const test::TempDir directory;
  const auto path = directory.path() / "pane-@1.commands";
  constexpr std::size_t kEach = 900;      // fewer than are kept: the last of both are among those
  const std::string command(1'500, 'x');  // so that it is rewritten several times
  const auto append_all = [&](std::size_t from) {
    CommandRecords records(path);
    for (std::size_t i = 0; i < kEach; ++i) {
      CommandRecord record = record_of(id_of(from + i), command, CommandState::running);
      records.append(record);
      record.state = CommandState::completed;
      records.append(record);
    }
  };
  std::thread other([&] { append_all(0); });  // flock holds between descriptors, so a thread is as good
  append_all(kEach);
  other.join();
  CHECK(std::filesystem::file_size(path) <= CommandRecords::kRewriteBytes + 3'000);
  const CommandRecords records(path);
  const auto kept = records.load();
  REQUIRE(kept.size() == CommandRecords::kKeptCommands);
  std::set<std::string> ids;
  for (const CommandRecord& record : kept) {
    CHECK(record.state == CommandState::completed);  // no end was lost
    ids.insert(record.id);
  }
  std::size_t last_ones = 0;  // of each of the two, without a hole
  for (const std::size_t end : {kEach, 2 * kEach}) {
    for (std::size_t n = end; n > end - kEach && ids.contains(id_of(n - 1)); --n) {
      ++last_ones;
    }
  }
  CHECK(last_ones == kept.size());
}

TEST_CASE("records: a file that was rewritten is locked until what came meanwhile stands in it") {
  const test::TempDir directory;
  const auto path = directory.path() / "pane-@1.commands";
  write_file(path, "old");
  FileLock lock = replace_file_locked(path, "new\n");
  CHECK_FALSE(FileLock::try_lock(path));
  REQUIRE(::write(lock.fd(), "late\n", 5) == 5);
  lock.release();
  CHECK(read_file(path) == "new\nlate\n");
  CHECK(FileLock::try_lock(path));
}

TEST_CASE("records: whether something stands in one of the last of them") {
  const test::TempDir directory;
  CommandRecords records(directory.path() / "pane-@1.commands");
  const auto way = [&records](std::size_t most) { return records.any_has(R"("shell_gateway":{)", most); };
  CommandRecord record = record_of("00000001", R"(echo '"shell_gateway":{')");
  records.append(record);
  CHECK_FALSE(way(9));
  record.shell_gateway = ShellGateway{{1'234, 56'789}, "ssh"};
  records.append(record);
  CHECK(way(1));
  for (std::size_t i = 0; i < 3; ++i) {
    records.append(record_of("00000002", "the same"));
  }
  CHECK_FALSE(way(1));
  CHECK(way(2));
  record.shell_gateway.reset();
  records.append(record);
  CHECK_FALSE(way(9));
}

TEST_CASE("records: a command that was withdrawn is none of the last of them") {
  const test::TempDir directory;
  CommandRecords records(directory.path() / "pane-@1.commands");
  CommandRecord running = record_of("00000001", R"(echo '"state":"running"')");
  running.state = CommandState::running;
  records.append(running);
  CommandRecord withdrawn = record_of("00000002", "true");
  withdrawn.withdrawn = true;
  records.append(withdrawn);
  const auto runs = [&records] { return records.any_has(R"("state":"running")", 1); };
  CHECK(runs());
  const auto path = directory.path() / "pane-@1.commands";
  const std::string whole = read_file(path).value_or("");
  write_file(path, whole + R"({"id":"00000003","nonce":"00000003","command":"f() { x; })" + "\n");
  CHECK(runs());  // what was torn is no command's
  running.state = CommandState::completed;
  records.append(running);
  CHECK_FALSE(runs());
}

TEST_CASE("backward lines: every length around a block") {
  const test::TempDir directory;
  const auto path = directory.path() / "lines";
  constexpr std::size_t kFirst = 4 * 1024;
  constexpr std::size_t kBlock = 64 * 1024;
  for (const std::size_t around : {std::size_t{10}, kFirst, kBlock, kFirst + kBlock, kFirst + 3 * kBlock}) {
    for (std::size_t length = around - 9; length < around + 3; ++length) {
      const std::string middle(length, 'm');
      for (const char* end : {"", "\n", "\n\n"}) {
        write_file(path, "first\n\n" + middle + "\nlast" + end);
        BackwardLines lines(path);
        CHECK(lines.next() == "last");
        CHECK(lines.next() == middle);
        CHECK(lines.next() == "first");
        CHECK_FALSE(lines.next());
        CHECK_FALSE(lines.next());
      }
    }
  }
  write_file(path, "");
  CHECK_FALSE(BackwardLines(path).next());
  CHECK_FALSE(BackwardLines(directory.path() / "none").next());
}

TEST_CASE("records: what could not be written waits, the last of each command, and not for ever (V5)") {
  const test::TempDir directory;
  const auto path = directory.path() / "gone" / "pane-@1.commands";
  CommandRecords records(path);
  CommandRecord record = record_of("00000001", "first", CommandState::running);
  CHECK_FALSE(records.append(record).empty());
  record.state = CommandState::completed;
  CHECK_FALSE(records.append(record).empty());
  CHECK_FALSE(records.append(record_of("00000002", "second")).empty());
  CHECK(records.load().size() == 2);  // of who keeps them
  CHECK(records.find("00000001")->state == CommandState::completed);
  CHECK_FALSE(records.write_kept());
  std::filesystem::create_directory(path.parent_path());
  CHECK(records.write_kept());
  const std::string written = test::content_of(path);
  CHECK(std::ranges::count(written, '\n') == 2);
  CHECK(written.find("first") < written.find("second"));
  CHECK(records.write_kept());
  CHECK(test::content_of(path) == written);

  std::filesystem::remove_all(path.parent_path());
  constexpr std::size_t kMore = 5;
  for (std::size_t n = 0; n < CommandRecords::kKeptCommands + kMore; ++n) {
    CHECK_FALSE(records.append(record_of(id_of(n), "x")).empty());
  }
  std::filesystem::create_directory(path.parent_path());
  REQUIRE(records.write_kept());
  const std::string kept = test::content_of(path);
  CHECK(static_cast<std::size_t>(std::ranges::count(kept, '\n')) == CommandRecords::kKeptCommands);
  CHECK_FALSE(CommandRecords(path).find(id_of(kMore - 1)));
  CHECK(CommandRecords(path).find(id_of(kMore)));
}

TEST_CASE("records: of a line that does not fit nothing stays (V5)") {
  const test::TempDir directory;
  const auto path = directory.path() / "pane-@1.commands";
  CommandRecords records(path);
  REQUIRE(records.append(record_of("00000001", "fits")).empty());
  const std::string before = test::content_of(path);
  rlimit unlimited{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{before.size() + 100, unlimited.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string why_not = records.append(record_of("00000002", std::string(1'000, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  ::signal(SIGXFSZ, handler);
  CHECK_FALSE(why_not.empty());
  CHECK(test::content_of(path) == before);
  CHECK(records.write_kept());
  CHECK(CommandRecords(path).latest()->id == "00000002");
}

TEST_CASE("records: a process that stands still with the lock holds up no record (V5)") {
  const test::TempDir directory;
  const auto path = directory.path() / "pane-@1.commands";
  CommandRecords records(path);
  REQUIRE(records.append(record_of("00000001", "before")).empty());
  const FileLock stands_still = FileLock::try_lock(path);
  REQUIRE(stands_still);
  CHECK(records.append(record_of("00000002", "meanwhile")).empty());
  CHECK(CommandRecords(path).latest()->id == "00000002");
}

}  // namespace terminally
