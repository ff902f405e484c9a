// What a call is told that finds a tab busy: each sentence names what has the tab and the exact next call.
#include "command/busy.hpp"

#include <doctest/doctest.h>

#include <string>

#include "command/command_run.hpp"
#include "tab/shell_gateway.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::TempDir;

namespace {

/// A tab of which nothing runs any more, and what is known of it.
struct QuietTab {
  TempDir dir;
  Tab tab{WindowId{3}, PaneId{3}, Tab::Home{"instance", 0, dir / "pane-@3.log", dir.path()}, 1};

  CommandRecord keep(const std::string& id, const std::string& command,
                     std::optional<ShellGateway> way = std::nullopt) {
    CommandRecord record;
    record.id = id;
    record.nonce = id + std::string(24, '0');
    record.command = command;
    record.state = CommandState::completed;
    record.shell_gateway = std::move(way);
    record.started_steady_ms = ++started;
    tab.records.append(record);
    return record;
  }
  std::int64_t started = 0;
};

Foreground foreground_of(const std::string& name, int pid = 0) {
  Foreground foreground;
  foreground.kind = Foreground::Kind::program;
  foreground.name = name;
  foreground.pid = pid;
  foreground.shell_pid = 1;
  return foreground;
}

/// An ssh that has ended.
ShellGateway ended_way(std::int64_t seen_ms) {
  return ShellGateway{.process = ProcessId{4'194'303, 1},
                      .name = "ssh",
                      .ends_with_command = true,
                      .seen_steady_ms = seen_ms};
}

}  // namespace

TEST_CASE("busy: a command of ours is named with its words and whose it is, for a client and for a person") {
  QuietTab of;
  CommandRecord record = of.keep("0123abcd", "make test\nmake install");
  record.who = "client 1";
  BusyTab busy = busy_with_command(of.tab, record);
  CHECK(busy.code() == ErrorCode::busy);
  CHECK_FALSE(busy.elsewhere());
  CHECK(std::string(busy.what()) ==
        "tab @3 is busy; nothing was run. There runs command 0123abcd (make test…) of client 1: to wait for "
        "its end: wait_for "
        R"({"window_id": "@3", "until": "exit"}; to end it: cancel_command {"window_id": "@3"})");
  CHECK(std::string(or_beside(busy, false).what()) ==
        std::string(busy.what()) +
            "; to run this beside it: the same call without window_id, or in another tab");
  of.tab.for_person = true;
  record.who = "";
  busy = busy_with_command(of.tab, record);
  CHECK(std::string(busy.what()) ==
        "tab @3 is busy; nothing was run. There runs command 0123abcd (make test…): to wait for its end: "
        "`terminally-mcp "
        "wait @3`; to end it: `terminally-mcp cancel @3`");
  CHECK(std::string(or_beside(busy, true).what())
            .ends_with("`terminally-mcp exec -- …`, without a tab, or in another tab"));
}

TEST_CASE("busy: what else may have a tab") {
  QuietTab of;
  const std::string first = "tab @3 is busy; nothing was run. ";
  std::string text = busy_with_program(of.tab, foreground_of("vim")).what();
  CHECK(
      text ==
      first +
          R"(There runs vim. No command of ours began it: to wait for its end: wait_for {"window_id": "@3", )"
          R"("until": "exit"}; to end it: cancel_command {"window_id": "@3"})");
  for (const std::string multiplexer : {"tmux: client", "screen", "zellij"}) {
    text = busy_with_program(of.tab, foreground_of(multiplexer)).what();
    CHECK(text.find(". No command can be run through a multiplexer: ") != std::string::npos);
    CHECK(text.find("cancel_command") == std::string::npos);
  }
  text = busy_with_program(of.tab, foreground_of("python3", 1)).what();
  CHECK(text.starts_with(first + "It was opened with python3"));
  CHECK(text.find("commands are run in bash, zsh, dash, ksh and fish only") != std::string::npos);
  CHECK(text.find("open another by create_tab, with \"shell\": \"bash\"") != std::string::npos);
  text = busy_with_reading(of.tab, foreground_of("bash")).what();
  CHECK(
      text ==
      first +
          R"(bash waits for the keyboard (a `read` or a password prompt): to answer it: send_text {"window_id": )"
          R"("@3", "text": "…"}; to end it: cancel_command {"window_id": "@3"})");
  text = busy_with_typing(of.tab).what();
  CHECK(text == first + "A person is typing in it just now. Try again when they have paused");
  text = busy_without_prompt(of.tab, foreground_of("zsh")).what();
  CHECK(text.starts_with(first + "Its shell, zsh, did not come to its prompt in time"));
  text = busy_without_prompt(of.tab, Foreground()).what();
  CHECK(text.starts_with(first + "Its shell did not come to its prompt in time"));
  text = cannot_run_in(of.tab, foreground_of("rbash"), ", a restricted shell").what();
  CHECK(text.starts_with("tab @3 shows the prompt of rbash, a restricted shell"));
  CHECK(text.ends_with(R"(to type there: send_text {"window_id": "@3", "text": "…"})"));
  CHECK(
      std::string(busy_with_calls(of.tab, 1).what()).find("one call stands before it. Try again with more") !=
      std::string::npos);
  CHECK(std::string(busy_with_calls(of.tab, 4).what()).find("4 calls stand before it. Try again with more") !=
        std::string::npos);
  of.tab.for_person = true;
  CHECK(std::string(busy_with_calls(of.tab, 2).what()).ends_with("before it. Try again"));
  CHECK(std::string(cannot_run_in(of.tab, foreground_of("rbash"), ", a restricted shell").what())
            .ends_with("to type there: `terminally-mcp attach @3`"));
  CHECK(about_another_shell(of.tab).find("`terminally-mcp exec @3 -- …`") != std::string::npos);
}

TEST_CASE("busy: what has a tab, for a note, is its command as the files say, else nothing of ours") {
  QuietTab of;
  CHECK(next_call("wait_for", WindowId{3}) == R"(wait_for {"window_id": "@3"})");
  const CommandRecord record = of.keep("0123abcd", "make");
  of.tab.files.mark_running(record.nonce, "/");
  CHECK(what_has(of.tab, false) == "command 0123abcd (make) runs there");
  CHECK(what_has(of.tab, true) == "command 0123abcd (make) runs there");
}

TEST_CASE(
    "way in: whoever expects the shell behind an ssh that has ended is told once, before anything runs "
    "here") {
  struct Told {
    const char* what;
    bool for_person;
    bool keys_sent;
    const char* note;  ///< of the first call; empty: it throws
  };
  for (const Told& told :
       std::vector<Told>{{"a client", false, false, ""},
                         {"a person", true, false, ""},
                         {"who sent keys", false, true,
                          "the ssh that led to the shell of command 0123abcd has ended since: this ran in "
                          "bash in /"}}) {
    CAPTURE(told.what);
    QuietTab of;
    of.tab.for_person = told.for_person;
    of.keep("0123abcd", "ssh there", ended_way(5));
    if (told.keys_sent) {
      of.tab.shell.was_sent_input(Clock::now());
    }
    Foreground here = foreground_of("bash", ::getpid());
    here.kind = Foreground::Kind::shell;
    const auto called = Clock::now();
    if (*told.note == '\0') {
      CHECK_THROWS_WITH_AS(
          static_cast<void>(note_of_lost_gateway(of.tab, here, called)),
          doctest::Contains(
              "nothing was run in tab @3: the ssh that led to the shell of command 0123abcd has "
              "ended since, so it would run on this side, in bash"),
          Error);
    } else {
      CHECK(note_of_lost_gateway(of.tab, here, called).starts_with(std::string(told.note).substr(0, 60)));
    }
    // The same call again runs it; what a client was told, no person was.
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now() + Milliseconds(5)).empty());
    of.tab.for_person = !told.for_person;
    if (!told.keys_sent) {
      CHECK_THROWS_AS(static_cast<void>(note_of_lost_gateway(of.tab, here, Clock::now() + Milliseconds(5))),
                      Error);
    }
  }
}

TEST_CASE(
    "way in: no note where no way was, where it lives, where a result told of it, or a later command had "
    "none") {
  Foreground here = foreground_of("bash", ::getpid());
  {
    QuietTab of;
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now()).empty());
    of.keep("00000001", "make");
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now()).empty());
  }
  {
    QuietTab of;
    ShellGateway lives = ended_way(5);
    lives.process = process_info(::getpid())->id();
    of.keep("00000001", "ssh there", lives);
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now()).empty());
  }
  {
    QuietTab of;
    const CommandRecord told = of.keep("00000001", "ssh there", ended_way(5));
    note_told(of.tab, told);
    CHECK(of.tab.records.find("00000001")->shell_gateway->told_steady_ms > 0);
    CHECK(of.tab.records.find("00000001")->shell_gateway->told_people_steady_ms == 0);
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now() + Milliseconds(5)).empty());
  }
  {
    QuietTab of;
    of.keep("00000001", "ssh there", ended_way(5));
    of.keep("00000002", "make");  // on this side, and its caller knows
    CHECK(note_of_lost_gateway(of.tab, here, Clock::now()).empty());
  }
  {
    QuietTab of;
    CommandRecord running = of.keep("00000001", "ssh there", ended_way(5));
    running.state = CommandState::running;
    note_told(of.tab, running);  // of one that runs nothing is told
    CHECK(of.tab.records.find("00000001")->shell_gateway->told_steady_ms == 0);
  }
}
