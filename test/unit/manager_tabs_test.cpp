// Tabs through the manager: opened, listed, named, closed, watched, lost.
#include <doctest/doctest.h>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::Failure;
using test::ManagerScene;
using test::ScriptedTmux;

std::vector<std::string> names_of_tabs(ManagerScene& scene) {
  std::vector<std::string> names;
  for (const TabInfo& tab : scene.run(scene.manager->tabs().list())) {
    names.push_back(to_string(tab.window_id) + " " + tab.name);
  }
  return names;
}

}  // namespace

TEST_CASE("manager tabs: none, and no tmux, before one is needed") {
  ManagerScene scene;
  CHECK(scene.run(scene.manager->tabs().list()).empty());
  CHECK_FALSE(scene.run(scene.manager->tabs().named("work")));
  scene.run(scene.manager->tabs().set_history_limit(77));
  TabVariables told;
  CHECK(scene.manager->tabs().new_variables({"PATH"}, told).empty());
  CHECK(scene.tmux->asked.empty());
  CHECK_FALSE(std::filesystem::exists(scene.config.runtime_root));
  scene.open_tab();  // the limit was kept for it
  CHECK(test::content_of(scene.instance().tmux_config()).find("history-limit 77\n") != std::string::npos);
}

TEST_CASE("manager tabs: one that was opened has its name, its log and its shell") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab("work #1 [#x]");
  CHECK(to_string(tab) == "@0");
  REQUIRE(scene.has_prompt(tab));
  const std::vector<TabInfo> tabs = scene.run(scene.manager->tabs().list());
  REQUIRE(tabs.size() == 1);
  CHECK(tabs[0].window_id == tab);
  CHECK(tabs[0].name == "work #1 [#x]");
  CHECK(tabs[0].foreground == "dash");
  CHECK(tabs[0].cwd == scene.directory.path());
  CHECK_FALSE(tabs[0].busy);
  CHECK(tabs[0].log_path == scene.log_of(tab));
  CHECK(tabs[0].log_bytes == 2);
  CHECK(tabs[0].last_output_at_ms > 0);
  CHECK(tabs[0].tmux_window == "@0");
  CHECK(tabs[0].tmux_session == "$0");
  CHECK(scene.run(scene.manager->tabs().named("work #1 [#x]")) == tab);
  CHECK_FALSE(scene.run(scene.manager->tabs().named("work")));
}

TEST_CASE(
    "manager tabs: who lists them while others look shares the next look, and sees what is so by then") {
  ManagerScene scene;
  scene.open_tab("first");
  const auto lists = [&scene] {
    return std::make_unique<test::UnderWay<std::vector<TabInfo>>>(*scene.io, scene.manager->tabs().list());
  };
  const std::size_t before = scene.tmux->times_asked("list-panes");
  scene.tmux->become("list-panes", ScriptedTmux::Fate::held, 1);
  const auto first = lists();
  scene.settle();
  auto given_up = lists();
  std::vector<decltype(lists())> others(20);
  std::ranges::generate(others, lists);
  scene.settle();
  given_up.reset();
  scene.tmux->rows.front().name = "second";
  scene.tmux->let_go_on();
  for (const auto& other : others) {
    CHECK(other->result().at(0).name == "second");
  }
  CHECK(first->result().size() == 1);
  CHECK(scene.tmux->times_asked("list-panes") == before + 2);
}

TEST_CASE("manager tabs: of those who wait for a look, the next looks where one has failed") {
  ManagerScene scene;
  scene.open_tab("first");
  scene.tmux->fail("list-panes", "no such thing", 1);
  test::UnderWay<std::vector<TabInfo>> fails(*scene.io, scene.manager->tabs().list());
  test::UnderWay<std::vector<TabInfo>> looks(*scene.io, scene.manager->tabs().list());
  CHECK(looks.result().size() == 1);
  CHECK_THROWS_AS(static_cast<void>(fails.result()), Error);
}

TEST_CASE("manager tabs: a name is given as it is, or refused by name") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  for (const std::string name : {"-x", "two words", "\"; kill-server #{pid} '", "##", "\\n $HOME ~"}) {
    CAPTURE(name);
    scene.run(scene.manager->tabs().rename(tab, name));
    CHECK(names_of_tabs(scene) == std::vector<std::string>{"@0 " + name});
  }
  CHECK(scene.failure(scene.manager->tabs().rename(tab, "")).text == "name: must not be empty");
  CHECK(scene.failure(scene.manager->tabs().rename(tab, "a\nb")).says("name: control characters"));
  CHECK(scene.failure(scene.manager->tabs().rename(WindowId{9}, "x")).code == ErrorCode::not_found);
  scene.tmux->fail("rename-window", "can't find pane: %0");
  CHECK(scene.failure(scene.manager->tabs().rename(tab, "x")).code == ErrorCode::not_found);
}

TEST_CASE("manager tabs: a name that several have names none") {
  ManagerScene scene;
  scene.open_tab("same");
  const WindowId other = scene.open_tab("other");
  CHECK(scene.run(scene.manager->tabs().named("other")) == other);
  scene.run(scene.manager->tabs().rename(other, "same"));
  const Failure failure = scene.failure(scene.manager->tabs().named("same"));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.says("window_id: several tabs have the name \"same\", @0 and @1 among them"));
  static_cast<void>(scene.run(scene.manager->tabs().close(other, true)));
  CHECK(scene.run(scene.manager->tabs().named("same")) == WindowId{0});  // a closed one has none
}

TEST_CASE("manager tabs: one that is closed has ended, and its log and id stay") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  CHECK(scene.execute(tab, "echo kept").exit_code == 0);
  const pid_t process = scene.row_of(tab).pane_pid;
  const ClosedTab closed = scene.run(scene.manager->tabs().close(tab, false));
  CHECK(closed.closed);
  CHECK(closed.survivors.empty());
  CHECK_FALSE(is_alive(process));
  CHECK(scene.tmux->rows.empty());
  CHECK(scene.run(scene.manager->tabs().list()).empty());
  CHECK(scene.run(scene.manager->output().read_lines(tab, 500, {})).content.find("kept\r\n") !=
        std::string::npos);
  QueryCommand query;
  query.window_id = tab;
  CHECK(scene.run(scene.manager->commands().state(query)).output == "kept\n");
  const Failure failure = scene.failure(scene.manager->tabs().close(tab, false));
  CHECK(failure.code == ErrorCode::tab_closed);
  CHECK(scene.open_tab() == WindowId{1});
}

TEST_CASE(
    "manager tabs: what runs in one that is closed is ended, and its command has failed; no shell comes") {
  ManagerScene scene;
  const std::filesystem::path starts = scene.directory / "starts";
  write_file(scene.directory / "start-up", "echo $$ >> '" + starts.string() + "'\n");
  CreateTab create;
  create.shell = "/bin/sh";
  create.env = {{"ENV", (scene.directory / "start-up").string()}};
  const WindowId tab = scene.run(scene.manager->tabs().create(create)).window_id;
  StartProcess start;
  start.window_id = tab;
  start.command = "sleep 600";
  const StartedProcess started = scene.run(scene.manager->commands().start_process(start));
  REQUIRE(started.started == true);
  CHECK(scene.run(scene.manager->tabs().close(tab, true)).survivors.empty());
  QueryCommand query;
  query.window_id = tab;
  query.command_id = started.command_id.value_or("");
  const CommandResult result = scene.run(scene.manager->commands().state(query));
  CHECK(result.state == CommandState::failed);
  CHECK(result.reason == Reason::tab_closed);
  CHECK_FALSE(result.exit_code);
  CHECK(std::ranges::count(test::content_of(starts), '\n') == 1);
}

TEST_CASE("manager tabs: a close that has begun goes to its end, also where its client gives it up") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  StartProcess start;
  start.window_id = tab;
  start.command = "sh -c 'trap \"\" HUP TERM; echo $$ > pid; sleep 600; exit'";
  REQUIRE(scene.run(scene.manager->commands().start_process(start)).started == true);
  const std::filesystem::path told = scene.directory / "pid";
  REQUIRE(scene.comes_true([&] { return read_file(told).value_or("").ends_with('\n'); }));
  const int program = std::stoi(*read_file(told));
  const std::size_t asked = scene.tmux->times_asked("display-message");
  test::UnderWay<ClosedTab> closing(*scene.io, scene.manager->tabs().close(tab, false));
  REQUIRE(scene.comes_true([&] { return scene.tmux->times_asked("display-message") > asked; }));
  scene.settle();
  closing.cancel();
  CHECK_THROWS_AS(closing.result(), boost::system::system_error);
  CHECK(scene.comes_true([&] { return !is_alive(program) && scene.tmux->rows.empty(); }));
}

TEST_CASE("manager tabs: where tmux does not answer, a tab is left as it is") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  scene.tmux->become("display-message", ScriptedTmux::Fate::lost);
  const Failure failure = scene.failure(scene.manager->tabs().close(tab, true));
  CHECK(failure.code == ErrorCode::tmux_timeout);
  CHECK(failure.says("the tab was left as it is"));
  CHECK(is_alive(scene.row_of(tab).pane_pid));
  scene.tmux->print("display-message", "\n");
  CHECK(scene.run(scene.manager->tabs().close(tab, true)).closed);
}

TEST_CASE("manager tabs: with a tab goes its window, but not another tab that a person put beside it") {
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    ManagerScene scene;
    const WindowId tab = scene.open_tab();
    const WindowId other = scene.open_tab("other");
    if (shared) {
      scene.row_of(tab).window = scene.row_of(other).window;
      static_cast<void>(scene.run(scene.manager->tabs().list()));
    }
    const int pane = scene.row_of(tab).pane_pid;
    // The window outlives the tab's own pane where a person has split it.
    scene.tmux->on("kill-", [](const std::string&) { return TmuxAnswer{}; });
    static_cast<void>(scene.run(scene.manager->tabs().close(tab, true)));
    CHECK(scene.tmux->last("kill-").commands == (shared ? "kill-pane -t \"%0\"" : "kill-window -t \"@0\""));
    CHECK(scene.comes_true([&] { return !is_alive(pane); }));
    CHECK(names_of_tabs(scene) == std::vector<std::string>{"@1 other"});
  }
}

TEST_CASE("manager tabs: the history limit holds for the tabs that come, and is told to tmux") {
  ManagerScene scene;
  scene.open_tab();
  scene.run(scene.manager->tabs().set_history_limit(123));
  CHECK(scene.tmux->last("history-limit").commands == "set-option -g history-limit 123");
  CHECK(scene.tmux->last("history-limit").in_time);
  scene.tmux->become("history-limit", ScriptedTmux::Fate::lost);
  CHECK(scene.failure(scene.manager->tabs().set_history_limit(124)).code == ErrorCode::tmux_timeout);
}

TEST_CASE("manager tabs: who waits for other tabs learns of each that comes, goes or is called otherwise") {
  ManagerScene scene;
  TabList known = scene.run(scene.manager->tabs().now());
  CHECK(known.open.empty());
  const auto learns = [&](const std::function<void()>& change, TabNews news) {
    test::UnderWay<TabList> wait(*scene.io, scene.manager->tabs().others(known, news));
    scene.settle();
    CHECK_FALSE(wait.is_done());
    change();
    known = wait.result();
  };
  learns([&] { scene.open_tab("first"); }, TabNews::come_and_gone);
  REQUIRE(known.open.size() == 1);
  learns([&] { scene.open_tab("second"); }, TabNews::come_and_gone);
  CHECK(known.open.size() == 2);
  REQUIRE(scene.has_prompt(WindowId{0}));
  REQUIRE(scene.has_prompt(WindowId{1}));
  known = scene.run(scene.manager->tabs().now());
  learns([&] { scene.run(scene.manager->tabs().rename(WindowId{0}, "renamed")); }, TabNews::any);
  CHECK(known.open[0].name == "renamed");
  learns(
      [&] {
        scene.tmux->rows[0].name = "by a person";
        scene.tmux->tell();
      },
      TabNews::any);
  CHECK(known.open[0].name == "by a person");
  learns([&] { static_cast<void>(scene.run(scene.manager->tabs().close(WindowId{0}, true))); },
         TabNews::come_and_gone);
  CHECK(known.open.size() == 1);
}

TEST_CASE("manager tabs: those of a tmux server that died are closed, and the next ones have other ids") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  StartProcess start;
  start.window_id = tab;
  start.command = "sleep 600";
  static_cast<void>(scene.run(scene.manager->commands().start_process(start)));
  scene.tmux->end_server();
  QueryCommand query;
  query.window_id = tab;
  CHECK(scene.comes_true(
      [&] { return scene.run(scene.manager->commands().state(query)).state != CommandState::running; }));
  const CommandResult result = scene.run(scene.manager->commands().state(query));
  CHECK(result.state == CommandState::failed);
  CHECK(result.reason == Reason::tmux_server_lost);
  CHECK(scene.run(scene.manager->tabs().list()).empty());
  const WindowId next = scene.open_tab("next");
  CHECK(next == WindowId{1});
  CHECK(std::filesystem::exists(scene.log_of(next, 2)));
  CHECK(scene.run(scene.manager->commands().state(query)).command == "sleep 600");  // still the first tab's
  CHECK(scene.execute(next, "echo on").output == "on\n");
}

TEST_CASE("manager tabs: a silent tmux is told of by every call that needs it, and no tab is lost by that") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  scene.tmux->become("list-panes", ScriptedTmux::Fate::lost, 2);
  CHECK(scene.failure(scene.manager->tabs().list()).code == ErrorCode::tmux_timeout);
  CHECK(scene.failure(scene.manager->tabs().named("work")).code == ErrorCode::tmux_timeout);
  CHECK(names_of_tabs(scene) == std::vector<std::string>{"@0 work"});
  scene.tmux->become("new-window", ScriptedTmux::Fate::late, 1);
  CreateTab late;
  late.name = "late";
  late.cwd = scene.directory.path();
  CHECK(scene.failure(scene.manager->tabs().create(late)).code == ErrorCode::tmux_timeout);
  CHECK(names_of_tabs(scene).size() == 1);  // it was guarded: nothing is done after its deadline
  CHECK(scene.execute(tab, "echo on").output == "on\n");
}

}  // namespace terminally
