// What the end of a command means, as a table.
#include "command/outcome.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <vector>

#include "command_scene.hpp"

using namespace terminally;
using EndBy = Marker::By;
using EndSeen = Outcome::Seen;
using EndState = CommandState;

TEST_CASE("outcome: what END means, for whom it was, and whether somebody may have typed C-c") {
  struct Case {
    SeenEnd end;
    Reason why;
    bool others_typed;
    bool stopped;
    Outcome wanted;
  };
  const Reason none = Reason::none;
  const Reason cancel = Reason::cancelled_by_client;
  const std::vector<Case> all = {
      {{EndBy::wrapper, 0}, none, false, false, {EndSeen::end, EndState::completed, none, 0}},
      {{EndBy::wrapper, 0}, none, true, false, {EndSeen::end, EndState::completed, none, 0}},
      {{EndBy::wrapper, 7}, none, true, true, {EndSeen::end, EndState::completed, none, 7}},
      {{EndBy::wrapper, 130}, none, false, false, {EndSeen::end, EndState::completed, none, 130}},
      {{EndBy::wrapper, 130},
       none,
       true,
       false,
       {EndSeen::end, EndState::cancelled, Reason::interrupted_in_tab, 130}},
      {{EndBy::wrapper, 130},
       none,
       true,
       true,
       {EndSeen::end, EndState::cancelled, Reason::interrupted_in_tab, 130}},
      {{EndBy::wrapper, 258},
       none,
       true,
       false,
       {EndSeen::end, EndState::cancelled, Reason::interrupted_in_tab, 258}},
      {{EndBy::wrapper, 131}, none, true, false, {EndSeen::end, EndState::completed, none, 131}},
      {{EndBy::hook, 0},
       none,
       true,
       false,
       {EndSeen::end, EndState::cancelled, Reason::interrupted_in_tab, 0}},
      {{EndBy::hook, 0}, none, true, true, {EndSeen::end, EndState::completed, none, 0}},
      {{EndBy::hook, 0}, none, false, false, {EndSeen::end, EndState::completed, none, 0}},
      {{EndBy::hook, 1}, none, true, false, {EndSeen::end, EndState::completed, none, 1}},
      {{EndBy::shell, 3}, none, false, false, {EndSeen::end, EndState::completed, Reason::shell_exited, 3}},
      {{EndBy::shell, 130},
       none,
       true,
       false,
       {EndSeen::end, EndState::cancelled, Reason::interrupted_in_tab, 130}},
      {{EndBy::wrapper, 0}, cancel, false, false, {EndSeen::end, EndState::cancelled, cancel, 0}},
      {{EndBy::wrapper, 130},
       Reason::timeout,
       true,
       true,
       {EndSeen::end, EndState::cancelled, Reason::timeout, 130}},
      {{EndBy::shell, 137}, cancel, false, false, {EndSeen::end, EndState::cancelled, cancel, 137}},
      {{EndBy::refused, 0},
       none,
       false,
       false,
       {EndSeen::refused, EndState::failed, Reason::no_shell_answered}},
      {{EndBy::refused, 0},
       cancel,
       true,
       true,
       {EndSeen::refused, EndState::failed, Reason::no_shell_answered}},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    const Case& one = all[i];
    const Outcome outcome = outcome_of(one.end, one.why, one.others_typed, one.stopped);
    CHECK(outcome.seen == one.wanted.seen);
    CHECK(outcome.state == one.wanted.state);
    CHECK(outcome.reason == one.wanted.reason);
    CHECK(outcome.exit_code == one.wanted.exit_code);
  }
}

TEST_CASE("outcome: what is known without END") {
  for (const EndSeen seen : {EndSeen::exit_file, EndSeen::log_stands_still, EndSeen::tmux_stands_still}) {
    const Outcome by_itself = by_exit_file(seen, Reason::none, 3);
    CHECK(by_itself.seen == seen);
    CHECK(by_itself.state == EndState::completed);
    CHECK(by_itself.exit_code == 3);
    const Outcome by_us = by_exit_file(seen, Reason::timeout, 130);
    CHECK(by_us.state == EndState::cancelled);
    CHECK(by_us.reason == Reason::timeout);
    CHECK(by_us.exit_code == 130);
  }
  for (const EndSeen seen :
       {EndSeen::gave_up, EndSeen::not_begun, EndSeen::tab_gone, EndSeen::log_unreadable}) {
    for (const Reason why : {Reason::none, Reason::tab_closed, Reason::cancelled_by_client}) {
      CHECK(lost(seen, why).state == EndState::failed);
      CHECK(lost(seen, why).reason == why);
      CHECK_FALSE(lost(seen, why).exit_code);
    }
  }
  CHECK(lost(EndSeen::shell_gone, Reason::none).state == EndState::failed);
  CHECK(lost(EndSeen::shell_gone, Reason::none).reason == Reason::shell_exited);
  CHECK(lost(EndSeen::shell_gone, Reason::timeout).state == EndState::cancelled);
  CHECK(lost(EndSeen::shell_gone, Reason::timeout).reason == Reason::timeout);
  CHECK(untaken().state == EndState::failed);
  CHECK(untaken().reason == Reason::no_shell_answered);
}

TEST_CASE("outcome: one that is not typed yet is called off by whoever does not want it any more") {
  const auto now = Clock::time_point(std::chrono::seconds(100));
  test::Scene scene;
  CHECK_FALSE(is_called_off(scene.requested(), now));
  scene.wanted.deadline = now;
  CHECK(is_called_off(scene.requested(), now));
  CHECK_FALSE(is_called_off(scene.requested(), now - Milliseconds(1)));
  CHECK(called_off(scene.requested()).state == EndState::cancelled);
  CHECK(called_off(scene.requested()).reason == Reason::timeout);
  scene.wanted = Requested();
  scene.wanted.answered = true;
  CHECK(is_called_off(scene.requested(), now));
  CHECK(called_off(scene.requested()).state == EndState::failed);
  CHECK(called_off(scene.requested()).reason == Reason::no_shell_answered);
  scene.wanted.why = Reason::cancelled_by_client;
  CHECK(is_called_off(scene.requested(), now));
  CHECK(called_off(scene.requested()).state == EndState::cancelled);
  CHECK(called_off(scene.requested()).reason == Reason::cancelled_by_client);
}

TEST_CASE("outcome: a part of a pipeline that failed is named, SIGPIPE is no failure (S11)") {
  const std::string told = "its last pipeline ended with 1 0: exit_code is only the last of these";
  CHECK(failed_parts("1 0") == told);
  for (const char* parts : {"0 1 0", "141 1 0", "127 0", "300 0", "1 141 0"}) {
    CHECK(failed_parts(parts).find(parts) != std::string::npos);
  }
  for (const char* parts : {"", "0", "1", "0 0 0", "141 0", "141 141 0", "0 1", "1 2"}) {
    CHECK(failed_parts(parts).empty());
  }
}
