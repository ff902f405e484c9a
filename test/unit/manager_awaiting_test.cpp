// Commands that wait for the keyboard, through the manager: when a call returns, and what becomes of the
// time-out.
#include <doctest/doctest.h>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::ManagerScene;

constexpr const char* kAsks = "printf 'name? '; read x; echo got:$x:";

ExecuteCommand asking(WindowId tab, const std::string& command, std::uint64_t timeout_ms) {
  ExecuteCommand request;
  request.window_id = tab;
  request.command = command;
  request.timeout_ms = timeout_ms;
  return request;
}

CommandResult state_of(ManagerScene& scene, WindowId tab, const std::string& command = "") {
  QueryCommand query;
  query.window_id = tab;
  if (!command.empty()) {
    query.command_id = command;
  }
  return scene.run(scene.manager->commands().state(query));
}

/// A line is sent; the state of that command at its end.
CommandResult answered(ManagerScene& scene, WindowId tab, const std::string& command) {
  SendText text;
  text.window_id = tab;
  text.text = "anna";
  scene.run(scene.manager->input().send_text(text));
  REQUIRE(scene.comes_true([&] { return state_of(scene, tab, command).state != CommandState::running; }));
  return state_of(scene, tab, command);
}

void waits_for_line(const CommandResult& result) {
  CHECK(result.state == CommandState::running);
  CHECK(result.reason == Reason::awaiting_input);
  REQUIRE(result.awaiting_input);
  CHECK(result.awaiting_input->kind == AwaitingInput::Kind::line);
}

}  // namespace

TEST_CASE("manager awaiting: a shell inside is told as a line, and so is a question in it") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  waits_for_line(scene.execute(tab, "PS1='inner> ' bash --norc", 60'000));
  CHECK(scene.execute(tab, "echo in").output == "in\n");
  const CommandResult inner = scene.execute(tab, "read -p 'inner? ' x; echo got:$x:", 60'000);
  waits_for_line(inner);
  CHECK(inner.awaiting_input->prompt == "inner?");
  CHECK(answered(scene, tab, inner.command_id).output.ends_with("got:anna:\n"));
}

TEST_CASE("manager awaiting: who answers takes their time, and a shell inside stays open") {
  // Two seconds of it are too late to answer; seeing that it waits takes a sanitizer some of the others.
  constexpr std::uint64_t kTimeout = TERMINALLY_SANITIZED != 0 ? 10'000 : 4'000;
  ManagerScene scene;
  const WindowId asks = scene.open_tab("asks");
  const WindowId nests = scene.open_tab("nests");
  REQUIRE(scene.has_prompt(asks));
  REQUIRE(scene.has_prompt(nests));
  test::UnderWay<CommandResult> first(*scene.io,
                                      scene.manager->commands().execute(asking(asks, kAsks, kTimeout)));
  test::UnderWay<CommandResult> second(
      *scene.io, scene.manager->commands().execute(asking(nests, "bash --norc", kTimeout)));
  const CommandResult asked = first.result();
  const CommandResult nested = second.result();
  waits_for_line(asked);
  CHECK(any_note(asked.notes, "its timeout_ms holds no longer"));
  waits_for_line(nested);
  REQUIRE(scene.comes_true([&] {
    return state_of(scene, asks).duration_ms > kTimeout + 500 &&
           state_of(scene, nests, nested.command_id).duration_ms > kTimeout + 500;
  }));
  const CommandResult ended = answered(scene, asks, asked.command_id);
  CHECK(ended.state == CommandState::completed);
  CHECK(ended.exit_code == 0);
  CHECK_FALSE(ended.awaiting_input);
  CHECK(scene.execute(nests, "echo $SHLVL").state == CommandState::completed);
  CHECK(state_of(scene, nests, nested.command_id).state == CommandState::running);
}

TEST_CASE(
    "manager awaiting: one in the background is told while its time-out lasts, and answered behind it") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  ExecuteCommand request = asking(tab, kAsks, 1'500);
  request.on_timeout = OnTimeout::background;
  const CommandResult result = scene.run(scene.manager->commands().execute(request));
  waits_for_line(result);
  CHECK(answered(scene, tab, result.command_id).output.ends_with("got:anna:\n"));
}

// The call would be over before anybody could answer.
TEST_CASE("manager awaiting: without time to answer a command is seen through, and told what it waited for") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const auto begun = Clock::now();
  const CommandResult told = scene.execute(tab, kAsks, 1'900);  // one of 2 s could be answered
  CHECK(Clock::now() - begun >= Milliseconds(1'900));
  // On a busy machine it may end later than the call.
  CHECK((told.awaiting_input || any_note(told.notes, "send_text answers it")));
  REQUIRE(
      scene.comes_true([&] { return state_of(scene, tab, told.command_id).state != CommandState::running; }));
  const CommandResult ended = state_of(scene, tab, told.command_id);
  CHECK(ended.state == CommandState::cancelled);
  CHECK(ended.reason == Reason::timeout);
}

// There is no result to tell it, and the list shows who has the foreground.
TEST_CASE("manager awaiting: what a person starts is not ours") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  scene.execute(tab, "true");
  scene.pane_of(tab).type("cat\r");
  REQUIRE(
      scene.comes_true([&] { return scene.run(scene.manager->tabs().list()).front().foreground == "cat"; }));
  CHECK_FALSE(state_of(scene, tab).awaiting_input);
}

}  // namespace terminally
