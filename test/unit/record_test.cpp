// What is kept of a command, as a line of JSON: every field, older lines, and lines that none of ours is.
#include "record/record.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace terminally;

namespace {

/// Each number another, so that no two are taken for each other.
CommandRecord full_record() {
  CommandRecord record;
  record.id = "0123abcd";
  record.nonce = "0123abcd0123abcd0123abcd0123abcd";
  record.command = "make \"all\"\n\ttest \\ 'x' \x01 späße";
  record.who = "client 1.0";
  record.task_key = "a key";
  record.state = CommandState::cancelled;
  record.reason = Reason::timeout;
  record.exit_code = 130;
  record.timed_out = true;
  record.typed_byte = 11;
  record.start_byte = 12;
  record.end_byte = 13;
  record.unread_from = 14;
  record.started_at_ms = 15;
  record.started_steady_ms = 16;
  record.deadline_steady_ms = 17;
  record.started_ticks = 18;
  record.shell_pid = 19;
  record.shell_image = UINT64_MAX;
  record.older_jobs = {20, 21};
  record.shell_gateway = ShellGateway{{22, 23}, "ssh", true, 24, 25, 26};
  record.duration_ms = 27;
  record.cwd = "/a b/\"c\"";
  record.notes = {"one", "two \"three\""};
  record.signalled = true;
  record.withdrawn = true;
  return record;
}

void check_equal(const CommandRecord& one, const CommandRecord& other) {
  CHECK(one.id == other.id);
  CHECK(one.nonce == other.nonce);
  CHECK(one.command == other.command);
  CHECK(one.who == other.who);
  CHECK(one.task_key == other.task_key);
  CHECK(one.state == other.state);
  CHECK(one.reason == other.reason);
  CHECK(one.exit_code == other.exit_code);
  CHECK(one.timed_out == other.timed_out);
  CHECK(one.typed_byte == other.typed_byte);
  CHECK(one.start_byte == other.start_byte);
  CHECK(one.end_byte == other.end_byte);
  CHECK(one.unread_from == other.unread_from);
  CHECK(one.started_at_ms == other.started_at_ms);
  CHECK(one.started_steady_ms == other.started_steady_ms);
  CHECK(one.deadline_steady_ms == other.deadline_steady_ms);
  CHECK(one.started_ticks == other.started_ticks);
  CHECK(one.shell_pid == other.shell_pid);
  CHECK(one.shell_image == other.shell_image);
  CHECK(one.older_jobs == other.older_jobs);
  REQUIRE(one.shell_gateway.has_value() == other.shell_gateway.has_value());
  if (one.shell_gateway) {
    CHECK(one.shell_gateway->process == other.shell_gateway->process);
    CHECK(one.shell_gateway->name == other.shell_gateway->name);
    CHECK(one.shell_gateway->ends_with_command == other.shell_gateway->ends_with_command);
    CHECK(one.shell_gateway->seen_steady_ms == other.shell_gateway->seen_steady_ms);
    CHECK(one.shell_gateway->told_steady_ms == other.shell_gateway->told_steady_ms);
    CHECK(one.shell_gateway->told_people_steady_ms == other.shell_gateway->told_people_steady_ms);
  }
  CHECK(one.duration_ms == other.duration_ms);
  CHECK(one.cwd == other.cwd);
  CHECK(one.notes == other.notes);
  CHECK(one.signalled == other.signalled);
  CHECK(one.withdrawn == other.withdrawn);
}

std::string with_part(std::string line, const std::string& part, const std::string& by) {
  const std::size_t at = line.find(part);
  REQUIRE(at != std::string::npos);
  return line.replace(at, part.size(), by);
}

/// The line without this field, as a version that did not know it wrote it.
std::string without_field(const std::string& line, const std::string& name) {
  const std::size_t begin = line.find("\"" + name + "\":");
  REQUIRE(begin != std::string::npos);
  std::size_t end = begin;
  int depth = 0;
  bool quoted = false;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    quoted = (c == '"' && line[end - 1] != '\\') ? !quoted : quoted;
    depth += quoted ? 0 : (c == '[' || c == '{') ? 1 : (c == ']' || c == '}') ? -1 : 0;
    if (!quoted && ((c == ',' && depth == 0) || depth < 0)) {
      break;
    }
  }
  return line[end] == ',' ? line.substr(0, begin) + line.substr(end + 1)
                          : line.substr(0, begin - 1) + line.substr(end);
}

}  // namespace

TEST_CASE("record: every field is read as it was written, on one line") {
  for (const CommandRecord& record : {full_record(), CommandRecord()}) {
    const std::string line = encode_record(record);
    CHECK(line.find('\n') == line.size() - 1);
    const auto read = decode_record(line);
    REQUIRE(read);
    check_equal(*read, record);
    CHECK(encode_record(*read) == line);
  }
}

TEST_CASE("record: every state and every reason has a word of its own, and is read from it") {
  std::set<std::string_view> words;
  for (const CommandState state :
       {CommandState::running, CommandState::completed, CommandState::cancelled, CommandState::failed}) {
    CommandRecord record;
    record.state = state;
    CHECK(decode_record(encode_record(record))->state == state);
    CHECK(words.insert(to_string(state)).second);
  }
  for (const Reason reason :
       {Reason::timeout, Reason::cancelled_by_client, Reason::interrupted_in_tab, Reason::shell_exited,
        Reason::tab_closed, Reason::tmux_server_lost, Reason::no_shell_answered, Reason::handed_over,
        Reason::awaiting_input, Reason::none}) {
    CommandRecord record;
    record.reason = reason;
    CHECK(decode_record(encode_record(record))->reason == reason);
    CHECK(words.insert(to_string(reason)).second);
  }
  CHECK(to_string(Reason::none).empty());
  // A word of a later version.
  std::string line = encode_record(CommandRecord());
  line = with_part(with_part(line, R"("state":"running")", R"("state":"paused")"), R"("reason":"")",
                   R"("reason":"moon")");
  REQUIRE(decode_record(line));
  CHECK(decode_record(line)->state == CommandState::failed);
  CHECK(decode_record(line)->reason == Reason::none);
}

TEST_CASE("record: a line of an older version has what it has, one of a later version more") {
  const std::string line = encode_record(full_record());
  const CommandRecord none;
  struct Field {
    const char* name;
    std::function<void(CommandRecord&)> forget;
  };
  const std::vector<Field> younger = {
      {"who", [](CommandRecord& r) { r.who.clear(); }},
      {"task_key", [](CommandRecord& r) { r.task_key.clear(); }},
      {"unread_from", [](CommandRecord& r) { r.unread_from = 0; }},
      {"started_at_ms", [](CommandRecord& r) { r.started_at_ms = 0; }},
      {"started_steady_ms", [](CommandRecord& r) { r.started_steady_ms = 0; }},
      {"deadline_steady_ms", [](CommandRecord& r) { r.deadline_steady_ms = 0; }},
      {"started_ticks", [](CommandRecord& r) { r.started_ticks = 0; }},
      {"shell_pid", [](CommandRecord& r) { r.shell_pid = 0; }},
      {"shell_image", [](CommandRecord& r) { r.shell_image = 0; }},
      {"older_jobs", [](CommandRecord& r) { r.older_jobs.clear(); }},
      {"shell_gateway", [](CommandRecord& r) { r.shell_gateway.reset(); }},
      {"notes", [](CommandRecord& r) { r.notes.clear(); }},
      {"signalled", [](CommandRecord& r) { r.signalled = false; }},
      {"withdrawn", [](CommandRecord& r) { r.withdrawn = false; }},
  };
  for (const Field& field : younger) {
    CAPTURE(field.name);
    const auto read = decode_record(without_field(line, field.name));
    REQUIRE(read);
    CommandRecord wanted = full_record();
    field.forget(wanted);
    check_equal(*read, wanted);
  }
  for (const std::string needed : {"id", "nonce", "command", "state", "reason", "exit_code", "timed_out",
                                   "typed_byte", "start_byte", "end_byte", "duration_ms", "cwd"}) {
    CAPTURE(needed);
    CHECK_FALSE(decode_record(without_field(line, needed)));
  }
  const auto later = decode_record(with_part(line, R"("who":)", R"("mood":{"a":[1]},"who":)"));
  REQUIRE(later);
  check_equal(*later, full_record());
}

TEST_CASE("record: a torn line, and one with a value that none of ours has, is no record") {
  const std::string line = encode_record(full_record());
  for (std::size_t length = 0; length + 2 < line.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(decode_record(line.substr(0, length)));
  }
  const std::vector<std::pair<std::string, std::string>> strange = {
      {R"("typed_byte":11)", R"("typed_byte":-1)"},
      {R"("start_byte":12)", R"("start_byte":9007199254740993)"},
      {R"("start_byte":12)", R"("start_byte":14)"},  // behind its end
      {R"("end_byte":13)", R"("end_byte":"13")"},
      {R"("end_byte":13)", R"("end_byte":13.5)"},
      {R"("exit_code":130)", R"("exit_code":4294967296)"},
      {R"("exit_code":130)", R"("exit_code":"130")"},
      {R"("shell_pid":19)", R"("shell_pid":-19)"},
      {R"("shell_pid":19)", R"("shell_pid":2147483648)"},
      {R"("started_steady_ms":16)", R"("started_steady_ms":8796093022209)"},
      {R"("deadline_steady_ms":17)", R"("deadline_steady_ms":1e30)"},
      {R"("started_ticks":18)", R"("started_ticks":-18)"},
      {R"("older_jobs":[20,21])", R"("older_jobs":[20,-21])"},
      {R"("older_jobs":[20,21])", R"("older_jobs":7)"},
      {R"("duration_ms":27)", R"("duration_ms":-27)"},
      {R"("timed_out":true)", R"("timed_out":1)"},
      {R"("notes":["one",)", R"("notes":[1,)"},
      {R"("signalled":true)", R"("signalled":"yes")"},
      {R"("pid":22)", R"("pid":"22")"},
      {R"("name":"ssh",)", ""},
  };
  for (const auto& [part, by] : strange) {
    CAPTURE(by);
    CHECK_FALSE(decode_record(with_part(line, part, by)));
  }
  for (const std::string foreign : {"", "[]", "null", "7", "{}", "\"id\"", "{\"id\":1}"}) {
    CHECK_FALSE(decode_record(foreign));
  }
  // One that runs has no end yet.
  CommandRecord running = full_record();
  running.state = CommandState::running;
  running.end_byte = 0;
  CHECK(decode_record(encode_record(running)));
}

TEST_CASE(
    "record: bytes that are no UTF-8 are kept as far as they are, a long command by its beginning, which "
    "says so") {
  CommandRecord record;
  record.command = "echo \xff\xfe";
  auto read = decode_record(encode_record(record));
  REQUIRE(read);
  CHECK(read->command == "echo \xEF\xBF\xBD\xEF\xBF\xBD");
  record.command = "x" + std::string(10'000, 'y');
  read = decode_record(encode_record(record));
  REQUIRE(read);
  CHECK(read->command.size() <= 4'096 + 3);
  CHECK(read->command.starts_with("xyyy"));
  CHECK_FALSE(read->command.ends_with('y'));
  // Versions that kept no image cut without a word.
  CommandRecord old;
  old.command = std::string(4'096, 'z');
  const auto cut = decode_record(without_field(encode_record(old), "shell_image"));
  REQUIRE(cut);
  CHECK_FALSE(cut->command.ends_with('z'));
  CHECK(decode_record(encode_record(old))->command == old.command);
}

TEST_CASE("record: a command is named by the first words of its first line") {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"make test", "make test"},
      {"", "command"},
      {"\nmake", "command"},
      {"für alle", "f…"},
      {"make\ntest", "make…"},
      {"echo 0123456789 0123456789 0123456789 0123456789", "echo 0123456789 0123456789 0123456789…"},
  };
  for (const auto& [command, name] : all) {
    CAPTURE(command);
    CHECK(first_words(command) == name);
  }
}
