// wait_for, looked at as its caller does.
#include "command/tab_condition.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "command/awaiting_input.hpp"
#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

using WaitStep = TabCondition::Step;

WaitFor for_what(Until until) {
  WaitFor request;
  request.window_id = WindowId{1};
  request.waiting.until = until;
  return request;
}

WaitFor for_pattern(const std::string& pattern) {
  WaitFor request = for_what(Until::pattern);
  request.waiting.pattern = pattern;
  return request;
}

/// One look; a slow machine takes it in several turns.
WaitStep look_at(TabCondition& wait) {
  WaitStep step = wait.look();
  while (step == WaitStep::at_once) {
    step = wait.look();
  }
  return step;
}

/// Looks until it is over.
WaitStep when_over(PtyTab& tab, TabCondition& wait) {
  WaitStep step = WaitStep::later;
  REQUIRE(tab.comes_true([&] {
    step = look_at(wait);
    return step != WaitStep::later;
  }));
  return step;
}

WaitForResult result_of_wait(PtyTab& tab, const WaitFor& request) {
  TabCondition wait(tab.tab, request);
  return wait.result(when_over(tab, wait));
}

/// A port of this machine that nobody listens on.
std::uint16_t free_port() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

}  // namespace

TEST_CASE("wait: for the end of a command, running, over already, or closed with its tab") {
  PtyTab tab;
  const RunPtr run = tab.start("cat; (exit 7)");
  TabCondition wait(tab.tab, for_what(Until::exit));
  CHECK(wait.run() == run);
  const auto looked = Clock::now();
  CHECK(wait.look() == WaitStep::later);
  CHECK(wait.next_look() >= looked + 10ms);
  CHECK(wait.next_look() < Clock::now() + 200ms);
  CHECK(wait.result(WaitStep::later).reason == "timeout");
  CHECK_FALSE(wait.result(WaitStep::later).matched);
  CHECK(wait.result(WaitStep::later).state == CommandState::running);
  tab.pane().write("\x04");
  CHECK(when_over(tab, wait) == WaitStep::matched);
  const WaitForResult result = wait.result(WaitStep::matched);
  CHECK(result.matched);
  CHECK(result.reason.empty());
  CHECK(result.exit_code == 7);
  CHECK(result.state == CommandState::completed);
  CHECK(result.next_byte == run->record().end_byte);

  const WaitForResult again = result_of_wait(tab, for_what(Until::exit));
  CHECK(again.matched);
  CHECK(again.exit_code == 7);
  CHECK(again.next_byte == run->record().end_byte);

  const RunPtr lost = tab.start("sleep 1000");
  TabCondition for_lost(tab.tab, for_what(Until::exit));
  CHECK(for_lost.look() == WaitStep::later);
  tab.pane().kill();
  tab.finish(lost);
  tab.tab->closed = true;
  CHECK(when_over(tab, for_lost) == WaitStep::tab_closed);
  CHECK(for_lost.result(WaitStep::tab_closed).reason == "tab_closed");
  CHECK(for_lost.result(WaitStep::tab_closed).state == CommandState::failed);
}

TEST_CASE("wait: for the end of a command where none was run is refused") {
  PtyTab tab;
  REQUIRE(tab.comes_to_prompt());
  TabCondition wait(tab.tab, for_what(Until::exit));
  std::string refused;
  REQUIRE(tab.comes_true([&] {
    try {
      return wait.look() != WaitStep::later;  // the start-up files are waited for
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::not_found);
      refused = error.what();
    }
    return true;
  }));
  CHECK(refused.starts_with("window_id: no command was run in tab @1 yet"));
}

TEST_CASE("wait: for the end of what a person runs, which has no record") {
  PtyTab tab;
  REQUIRE(tab.comes_to_prompt());
  tab.tab->shell.was_sent_input(Clock::now());
  tab.pane().press("sleep 1000\r");
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "sleep"; }));
  TabCondition wait(tab.tab, for_what(Until::exit));
  CHECK(wait.look() == WaitStep::later);
  CHECK(wait.result(WaitStep::later).state == CommandState::running);
  tab.pane().press("\x03");
  CHECK(when_over(tab, wait) == WaitStep::matched);
  CHECK_FALSE(wait.record());
  CHECK_FALSE(wait.result(WaitStep::matched).exit_code);
  CHECK(wait.result(WaitStep::matched).state == CommandState::completed);
}

TEST_CASE(
    "wait: what was just typed has a moment to take the foreground, before a prompt counts as its end") {
  PtyTab tab;
  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  WaitFor request = for_what(Until::exit);
  request.from_byte = tab.tab->log.end();
  const auto begin = Clock::now();
  TabCondition wait(tab.tab, request);
  CHECK_FALSE(wait.record());  // the command ended before the range that was asked for
  CHECK(wait.look() == WaitStep::later);
  CHECK(when_over(tab, wait) == WaitStep::matched);
  CHECK(Clock::now() - begin >= 300ms);
}

TEST_CASE(
    "wait: for a pattern, from the command's start on, across its escape sequences, and no further than its "
    "end") {
  PtyTab tab;
  const RunPtr run = tab.start("printf 'serv\\033[1mer rea\\033[0mdy on 80'; cat");
  REQUIRE(tab.comes_true([&] { return awaiting_input(*tab.tab).has_value(); }));
  WaitForResult found = result_of_wait(tab, for_pattern("server (ready|up) on [0-9]+"));
  CHECK(found.matched);
  CHECK(found.match == "server ready on 80");
  CHECK(found.state == CommandState::running);
  CHECK(found.exit_code == std::nullopt);
  REQUIRE(found.awaiting_input);
  CHECK(found.awaiting_input->kind == AwaitingInput::Kind::line);

  // A match at the end of what is printed may become longer.
  TabCondition grows(tab.tab, for_pattern("on [0-9]+"));
  CHECK(look_at(grows) == WaitStep::later);
  tab.pane().write("80");
  REQUIRE(tab.prints("on 8080"));
  CHECK(when_over(tab, grows) == WaitStep::matched);
  CHECK(grows.result(WaitStep::matched).match == "on 8080");

  TabCondition never(tab.tab, for_pattern("never"));
  CHECK(look_at(never) == WaitStep::later);
  tab.pane().write("\r\x04");
  tab.finish(run);
  tab.run("echo never");  // of another command
  CHECK(when_over(tab, never) == WaitStep::exited);
  CHECK(never.result(WaitStep::exited).reason == "exited");
  CHECK(never.result(WaitStep::exited).match.empty());
  CHECK(never.result(WaitStep::exited).exit_code == 0);
  CHECK(result_of_wait(tab, for_pattern("never")).matched);
  CHECK_THROWS_AS(TabCondition(tab.tab, for_pattern("(")), Error);
}

TEST_CASE("wait: for quiet, as long as was asked for, begun anew by whatever is printed") {
  PtyTab tab;
  const RunPtr run = tab.start("cat");
  WaitFor request = for_what(Until::idle);
  request.waiting.idle_ms = 300;
  TabCondition wait(tab.tab, request);
  auto quiet_since = Clock::now();
  bool printed = false;
  WaitStep step = WaitStep::later;
  REQUIRE(tab.comes_true([&] {
    step = wait.look();
    if (!printed && Clock::now() - quiet_since > 30ms && step == WaitStep::later) {
      tab.pane().write("more\r");
      REQUIRE(tab.prints("more"));
      quiet_since = Clock::now();
      printed = true;
    }
    return step != WaitStep::later;
  }));
  CHECK(step == WaitStep::matched);
  CHECK(printed);
  CHECK(Clock::now() - quiet_since >= 295ms);
  run->request_end(Reason::cancelled_by_client, true);
  tab.finish(run);
}

TEST_CASE(
    "wait: for the keyboard to be read, with what is asked; a shell that was opened counts, and is told") {
  PtyTab tab;
  const RunPtr asks = tab.start("printf 'Name: '; read name; echo \"$name\"");
  REQUIRE(tab.comes_true([&] { return tab.output(asks) == "Name: "; }));
  const WaitForResult asked = result_of_wait(tab, for_what(Until::input));
  CHECK(asked.matched);
  CHECK(asked.match == "Name:");
  REQUIRE(asked.awaiting_input);
  CHECK(asked.awaiting_input->prompt == "Name:");
  tab.pane().write("me\r");
  tab.finish(asks);
  CHECK(result_of_wait(tab, for_what(Until::input)).reason == "exited");

  const RunPtr opens = tab.start("bash --norc");
  const WaitForResult opened = result_of_wait(tab, for_what(Until::input));
  CHECK(opened.matched);
  REQUIRE(opened.notes.size() == 1);
  CHECK(opened.notes[0].starts_with("another shell now waits in this tab: the next execute_command"));
  opens->request_end(Reason::cancelled_by_client, true);
  tab.finish(opens);
}

TEST_CASE("wait: for a port of the tab; another's listener is no match and is named") {
  const std::uint16_t port = free_port();
  WaitFor request = for_what(Until::port);
  request.waiting.port = port;
  PtyTab tab;
  const std::string serve = "import socket; s = socket.create_server(('127.0.0.1', " + std::to_string(port) +
                            ")); print('up', flush=True); s.accept()";
  const RunPtr run = tab.start("exec 3</dev/null; /usr/bin/env python3 -c \"" + serve + "\"");
  const WaitForResult found = result_of_wait(tab, request);
  CHECK(found.matched);
  CHECK(found.match.find(" python3") != std::string::npos);

  PtyTab other;
  const RunPtr sleeps = other.start("cat");
  TabCondition wait(other.tab, request);
  CHECK(wait.look() == WaitStep::later);
  const WaitForResult taken = wait.result(WaitStep::later);
  REQUIRE(taken.notes.size() == 1);
  CHECK(taken.notes[0].starts_with("port " + std::to_string(port) +
                                   " is taken by a process outside of this tab: "));
  run->request_end(Reason::cancelled_by_client, true);
  tab.finish(run);
}

TEST_CASE("wait: the output that goes with it begins where was asked, else with the command") {
  PtyTab tab;
  const RunPtr run = tab.run("echo one; echo two");
  TabCondition whole(tab.tab, for_what(Until::exit));
  CHECK(whole.output_range(run->record().end_byte).begin == run->record().start_byte);
  CHECK(whole.output_range(run->record().end_byte).end == run->record().end_byte);
  WaitFor later = for_what(Until::exit);
  later.from_byte = run->record().start_byte + 5;
  TabCondition part(tab.tab, later);
  CHECK(part.record());
  CHECK(part.output_range(run->record().end_byte).begin == run->record().start_byte + 5);
  CHECK(part.output_range(run->record().end_byte).first == run->record().start_byte);
}

TEST_CASE("wait: the command of a tab that has just closed is settled before its end is told (V7)") {
  PtyTab tab;
  const RunPtr run = tab.start("sleep 1000");
  TabCondition wait(tab.tab, for_what(Until::exit));
  tab.tab->closed = true;
  CHECK(wait.look() == WaitStep::later);
  CHECK(wait.next_look() < Clock::now() + 100ms);
  run->ending().give_up(Reason::tab_closed);
  CHECK(wait.look() == WaitStep::tab_closed);
  CHECK(wait.result(WaitStep::tab_closed).state == CommandState::failed);
}

TEST_CASE("wait: a question that stood there before something was typed is no new one (V4)") {
  PtyTab tab;
  const RunPtr run = tab.start("cat");
  REQUIRE(tab.comes_true([&] { return awaiting_input(*tab.tab).has_value(); }));
  WaitFor request = for_what(Until::input);
  request.from_byte = tab.tab->log.end();
  const auto sent = Clock::now();
  tab.tab->shell.was_sent_input(sent);  // it is on its way
  TabCondition wait(tab.tab, request);
  while (Clock::now() - sent < 700ms) {
    const WaitStep step = look_at(wait);
    if (Clock::now() - sent < 900ms) {
      REQUIRE(step == WaitStep::later);
    }
    static_cast<void>(tab.comes_true([] { return true; }));
  }
  CHECK(when_over(tab, wait) == WaitStep::matched);  // what was typed is not shown: it waits all the same
}

TEST_CASE("wait: a search that has no time left goes on where it came to (V7)") {
  PtyTab tab;
  REQUIRE(tab.comes_to_prompt());
  const std::uint64_t begin = tab.tab->log.end();
  std::string lines;
  for (int i = 0; i < 1'000'000; ++i) {
    lines += "line " + std::to_string(i) + " aaaaaaaaaa\r\n";
  }
  test::append_to(tab.tab->log.path(), lines);
  WaitFor request = for_pattern("(a+)+b");
  request.from_byte = begin;
  TabCondition wait(tab.tab, request);
  std::uint64_t last = begin;
  bool cut = false;
  for (WaitStep step = wait.look(); step == WaitStep::at_once; step = wait.look()) {
    const std::uint64_t next = wait.result(step).next_byte;
    REQUIRE(next >= last);
    cut = cut || next < tab.tab->log.end();
    last = next;
    if (last > begin) {
      break;
    }
  }
  CHECK(cut);
  CHECK(last > begin);
}
