// How long a command may run, through the manager: by whom it was set a limit, and what becomes of it then.
#include <doctest/doctest.h>

#include <optional>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::ManagerScene;

constexpr auto kInterrupt = OnTimeout::interrupt;
constexpr auto kBackground = OnTimeout::background;

ExecuteCommand sleeping(WindowId tab) {
  ExecuteCommand request;
  request.window_id = tab;
  request.command = "echo up; sleep 600";
  return request;
}

}  // namespace

TEST_CASE("manager times: a command that nobody gave a limit goes on behind its call") {
  ManagerScene scene([](Config& config) { config.default_timeout_ms = 300; });
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const auto begun = Clock::now();
  const CommandResult result = scene.run(scene.manager->commands().execute(sleeping(tab)));
  CHECK(result.state == CommandState::running);
  CHECK(result.reason == Reason::handed_over);
  CHECK_FALSE(result.timed_out);
  CHECK(Clock::now() - begun >= Milliseconds(300));  // the command began later
  CHECK(result.output == "up\n");
  CHECK(any_note(result.notes, "wait_for {\"window_id\": \"" + to_string(tab) + "\", \"until\": \"exit\"}"));
  QueryCommand query;
  query.window_id = tab;
  REQUIRE(
      scene.comes_true([&] { return scene.run(scene.manager->commands().state(query)).duration_ms > 600; }));
  CHECK(scene.run(scene.manager->commands().state(query)).state == CommandState::running);
}

TEST_CASE(
    "manager times: the call decides what becomes of a command, then the server, then who set its limit") {
  struct Case {
    bool gives_time;
    std::optional<OnTimeout> by_call;
    std::optional<OnTimeout> by_server;
    bool is_ended;
  };
  const Case cases[] = {
      {true, std::nullopt, std::nullopt, true}, {false, std::nullopt, std::nullopt, false},
      {true, std::nullopt, kBackground, false}, {false, std::nullopt, kInterrupt, true},
      {true, kInterrupt, kBackground, true},    {false, kBackground, kInterrupt, false},
      {false, kInterrupt, std::nullopt, true},  {true, kBackground, std::nullopt, false},
  };
  for (const Case& wanted : cases) {
    CAPTURE(&wanted - cases);
    ManagerScene scene([&](Config& config) {
      config.default_timeout_ms = 300;
      config.on_timeout = wanted.by_server;
    });
    const WindowId tab = scene.open_tab();
    REQUIRE(scene.has_prompt(tab));
    ExecuteCommand request = sleeping(tab);
    request.on_timeout = wanted.by_call;
    if (wanted.gives_time) {
      request.timeout_ms = 300;
    }
    const CommandResult result = scene.run(scene.manager->commands().execute(request));
    CHECK((result.state == CommandState::cancelled) == wanted.is_ended);
    CHECK((result.reason == Reason::timeout) == wanted.is_ended);
    CHECK(result.timed_out == (wanted.is_ended || wanted.gives_time));
  }
}

TEST_CASE("manager times: what the server allows at most ends a command that nobody gave a limit") {
  ManagerScene scene([](Config& config) { config.max_duration_ms = 1'500; });
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const CommandResult result = scene.run(scene.manager->commands().execute(sleeping(tab)));
  CHECK(result.state == CommandState::cancelled);
  CHECK(any_note(result.notes, "interrupted after 1500 ms: no command may run longer here"));
}

}  // namespace terminally
