// Calls of one tab are done in the order in which they came, however each names the tab.
#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "manager_scene.hpp"
#include "toolkit/router.hpp"
#include "tools/all_tools.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using test::ManagerScene;
using test::ScriptedTmux;

using Call = std::unique_ptr<test::UnderWay<Answer>>;

struct OrderScene : ManagerScene {
  WindowId tab = open_tab("work");
  Router router{all_tools(), services()};
  PeerSettingsPtr peer = std::make_shared<const PeerSettings>();

  [[nodiscard]] Services services() const {
    Services services;
    services.manager = manager.get();
    return services;
  }
  Call sent(const char* tool, json arguments) {
    auto shared = std::make_shared<const json>(std::move(arguments));
    return std::make_unique<test::UnderWay<Answer>>(
        *io, router.call(*router.find(tool), std::move(shared), Caller{peer}));
  }
  Call echo(const std::string& window_id, const std::string& word) {
    json arguments;
    arguments["window_id"] = window_id;
    arguments["command"] = "echo " + word + " >>order";
    return sent("execute_command", std::move(arguments));
  }
};

}  // namespace

TEST_CASE("C3: calls that name a tab by its id and by its name are done in the order in which they came") {
  OrderScene scene;
  const std::string id = to_string(scene.tab);
  static_cast<void>(scene.echo(id, "0")->result());
  scene.tmux->become("list-panes", ScriptedTmux::Fate::held, 1);
  std::vector<Call> calls;
  for (const auto& [name, word] :
       std::vector<std::pair<std::string, std::string>>{{"work", "1"}, {id, "2"}, {"work", "3"}, {id, "4"}}) {
    calls.push_back(scene.echo(name, word));
  }
  scene.settle();
  json arguments;
  arguments["window_id"] = id;
  static_cast<void>(scene.sent("get_command_state", arguments)->result());  // who only reads waits for nobody
  CHECK(test::content_of(scene.directory / "order") == "0\n");
  scene.tmux->let_go_on();
  for (const Call& call : calls) {
    CHECK(call->result().object["exit_code"] == 0);
  }
  CHECK(test::content_of(scene.directory / "order") == "0\n1\n2\n3\n4\n");
}

TEST_CASE("C3: a call whose turn to be told its tab does not come says so when its time is over") {
  OrderScene scene;
  Services services = scene.services();
  services.sync_window = Milliseconds(50);
  const Router hasty(all_tools(), services);
  scene.tmux->become("list-panes", ScriptedTmux::Fate::held, 1);
  json arguments;
  arguments["command"] = "true";
  arguments["window_id"] = "work";
  const auto named = std::make_shared<const json>(arguments);
  arguments["window_id"] = to_string(scene.tab);
  const auto by_id = std::make_shared<const json>(arguments);
  const Tool& tool = *hasty.find("execute_command");
  test::UnderWay<Answer> first(*scene.io, hasty.call(tool, named, Caller{scene.peer}));
  const test::Failure failure = scene.failure(hasty.call(tool, by_id, Caller{scene.peer}));
  CHECK(failure.code == ErrorCode::tmux_timeout);
  CHECK(failure.says("which tab an earlier call means"));
  scene.tmux->let_go_on();
  CHECK(first.result().object["exit_code"] == 0);
}

}  // namespace terminally
