// The tabs of a tmux server: found, opened, lost. tmux is a script, each pane is a process that lives.
#include "tmux/tabs/tabs.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "config_in.hpp"
#include "instance/starting_lock.hpp"
#include "instance/tab_ids.hpp"
#include "manager_scene.hpp"
#include "places.hpp"

namespace terminally {
namespace {

using test::Failure;
using test::ScriptedTmux;

struct OpenTabs {
  boost::asio::io_context io{1};
  test::TempDir directory{test::in_memory()};
  Config config = made_config();
  Instance instance{config, config.instance};
  std::shared_ptr<ScriptedTmux> tmux = std::make_shared<ScriptedTmux>();
  std::unique_ptr<test::PaperServer> server_process;
  std::vector<WindowId> looked_after;
  std::unique_ptr<TmuxServer> server;
  std::unique_ptr<Tabs> tabs;

  explicit OpenTabs(bool guest = false) {
    config.guest = guest;
    come_anew();
    tmux->pid = 0;
    tmux->on("new-session", [this](const std::string& commands) { return opened(commands); });
    tmux->on("new-window", [this](const std::string& commands) { return opened(commands); });
    tmux->on("#{pid}\\011#{@terminally_generation}\"", [this](const std::string& commands) {
      const bool asks = commands.starts_with("display-message");
      return asks
                 ? ScriptedTmux::printed(std::to_string(tmux->pid) + "\t" + std::to_string(generation) + "\n")
                 : opened(commands);
    });
  }
  ~OpenTabs() {
    tabs->stop();
    tabs.reset();
    server.reset();
  }
  OpenTabs(const OpenTabs&) = delete;
  OpenTabs& operator=(const OpenTabs&) = delete;

  /// As after a restart of ours.
  void come_anew() {
    tabs.reset();
    server.reset();
    server = std::make_unique<TmuxServer>(io.get_executor(), config, tmux);
    tabs = std::make_unique<Tabs>(io.get_executor(), config, *server,
                                  [this](const TabPtr& tab) { looked_after.push_back(tab->window); });
  }
  void start_server() {
    std::filesystem::create_directories(instance.runtime());
    server_process = std::make_unique<test::PaperServer>(instance.socket(), instance.cookie());
    tmux->pid = server_process->pid();
  }
  /// A tmux server that another process of ours left, with these tabs.
  void left_over(const std::vector<std::uint32_t>& ids) {
    generation = 1;
    std::filesystem::create_directories(instance.generation(1));
    std::filesystem::permissions(config.runtime_root.parent_path(), std::filesystem::perms::owner_all);
    for (const std::uint32_t id : ids) {
      tmux->rows.push_back(row(id));
    }
    std::filesystem::create_directories(instance.runtime());
    for (const auto& made : {config.runtime_root, instance.runtime(), config.state_root, instance.state()}) {
      std::filesystem::permissions(made, std::filesystem::perms::owner_all);
    }
    test::append_to(instance.runtime() / "tmux.conf", "");
    start_server();
  }
  [[nodiscard]] static PaneRow row(std::uint32_t id, const std::string& name = "work") {
    PaneRow made;
    made.tag = "@" + std::to_string(id);
    made.tab = WindowId{id};
    made.pane = PaneId{id};
    made.window = "@" + std::to_string(id);
    made.session = "$0";
    made.in_tabs = true;
    made.pane_pid = ::getpid();
    made.cols = 120;
    made.name = name;
    return made;
  }
  CreatedTab create(const std::string& name = "work") { return test::run(io, tabs->create(request(name))); }
  Failure refusal() { return test::failure_of(io, tabs->create(request("work"))); }
  TabPtr find(std::uint32_t id) { return test::run(io, tabs->find(WindowId{id})); }
  [[nodiscard]] CreateTab request(const std::string& name) const {
    CreateTab made;
    made.name = name;
    made.cwd = directory.path();
    made.shell = "/bin/sh";
    return made;
  }
  bool comes_true(const std::function<bool()>& condition) { return test::comes_true(io, condition); }

  std::uint32_t generation = 0;
  std::uint32_t next_id = 0;

 private:
  TmuxAnswer opened(const std::string& commands) {
    const auto words = test::tmux_commands(commands).front();
    std::string answer;
    if (test::value_of(words, "-F").starts_with("#{pid}")) {
      const std::string text = test::content_of(instance.tmux_config());
      const auto number = [&text](const std::string& option) {
        return static_cast<std::uint32_t>(std::stoul(text.substr(text.find(option) + option.size() + 1)));
      };
      generation = number("@terminally_generation");
      next_id = number("@terminally_first_id");
      start_server();
      answer = std::to_string(tmux->pid) + "\t" + std::to_string(generation) + "\t";
    }
    tmux->rows.push_back(row(next_id++, test::value_of(words, "-n")));
    return ScriptedTmux::printed(answer + test::pane_line(tmux->rows.back()));
  }
  Config made_config() {
    Config made = test::config_in(directory.path());
    made.helper_dir = std::filesystem::path(test::kLogProgram).parent_path();
    made.instance = "unit";
    return made;
  }
};

}  // namespace

TEST_CASE("tabs: the first one starts a tmux server, with its environment and a log that is there at once") {
  OpenTabs open;
  const CreatedTab created = open.create("a #b");
  CHECK(created.window_id == WindowId{0});
  CHECK(created.name == "a #b");
  CHECK(created.log_path == log_path(open.instance.generation(1), "@0"));
  CHECK(std::filesystem::exists(created.log_path));
  CHECK(open.server->pid() == open.tmux->pid);
  CHECK(open.server->generation() == 1);
  const ScriptedTmux::Asked& asked = open.tmux->last("new-session");
  CHECK(asked.starts);
  CHECK_FALSE(asked.in_time);
  const auto words = test::tmux_commands(asked.commands);
  CHECK(test::value_of(words.front(), "-s") == "tabs");
  CHECK(words.back() == std::vector<std::string>{"set-option", "-t", "=tabs:", "@terminally_tabs", "1"});
  // What the first tab was given is no later tab's.
  CHECK(asked.commands.find("set-environment -u -t =tabs \"TERMINALLY_SHELL\"") != std::string::npos);
  CHECK(std::ranges::count(asked.environment, "TERMINALLY_NAME=" + open.instance.cookie()) == 1);
  const TabPtr tab = open.find(0);
  CHECK(tab->name == "a #b");
  CHECK(tab->shell.opened() > Clock::time_point());
  CHECK(open.tabs->changes().count() > 0);
}

TEST_CASE("tabs: the next ones are windows of the session that new tabs come into, whatever it is called") {
  OpenTabs open;
  open.create();
  open.create();
  for (PaneRow& row : open.tmux->rows) {
    row.session = "$7";  // a person has moved them
  }
  test::run(open.io, open.tabs->refresh());
  CHECK(open.create().window_id == WindowId{2});
  const ScriptedTmux::Asked& asked = open.tmux->last("new-window");
  CHECK(asked.in_time);
  CHECK(asked.of_server);
  CHECK(test::value_of(test::tmux_commands(asked.commands).front(), "-t") == "$7:");
  CHECK(std::ranges::count(test::tmux_commands(asked.commands).front(), "-d") == 1);  // moves nobody's view
  CHECK(open.tmux->times_asked("new-session") == 1);
}

TEST_CASE("tabs: what is wrong with a request is said before tmux is asked") {
  OpenTabs open;
  CreateTab bad = open.request("work");
  bad.cwd = "relative";
  CHECK(test::failure_of(open.io, open.tabs->create(bad)).code == ErrorCode::invalid_argument);
  CHECK(open.tmux->asked.empty());
  CHECK_FALSE(std::filesystem::exists(open.config.runtime_root));
}

TEST_CASE("tabs: a server that did not start leaves no generation behind") {
  for (const bool lost : {true, false}) {
    CAPTURE(lost);
    OpenTabs open;
    if (lost) {
      open.tmux->become("new-session", ScriptedTmux::Fate::lost, 1);
    } else {
      open.tmux->fail("new-session", "create window failed: fork failed", 1);
    }
    const Failure failure = open.refusal();
    CHECK(failure.code == (lost ? ErrorCode::tmux_timeout : ErrorCode::tmux_failed));
    CHECK(open.server->generation() == 0);
    CHECK_FALSE(std::filesystem::exists(open.instance.generation(1)));
    CHECK(open.create().window_id == WindowId{0});
    CHECK(open.server->generation() == 1);
  }
}

TEST_CASE("tabs: the id of a tab is never given again, also when its server could not be used") {
  for (const bool we_die_too : {false, true}) {
    CAPTURE(we_die_too);
    OpenTabs open;
    open.create();
    open.create();
    open.server_process.reset();
    open.tmux->rows.clear();
    open.tmux->pid = 0;
    if (we_die_too) {
      open.come_anew();
    }
    REQUIRE(open.comes_true([&] { return open.server->pid() == 0; }));
    CHECK(open.create().window_id == WindowId{2});
    CHECK(open.server->generation() == 2);
    CHECK(std::filesystem::exists(log_path(open.instance.generation(2), "@2")));
  }
}

TEST_CASE("tabs: an id that we know is not given again, also where all that tells of it was removed (D30)") {
  OpenTabs open;
  open.create();
  open.create();
  open.server_process.reset();
  open.tmux->rows.clear();
  open.tmux->pid = 0;
  std::filesystem::remove_all(open.instance.state());
  REQUIRE(open.comes_true([&] { return open.server->pid() == 0; }));
  CHECK(open.create().window_id == WindowId{2});
}

TEST_CASE("tabs: when the tmux server is lost they are closed, told of, and never tmux's again") {
  OpenTabs open;
  open.create();
  const TabPtr tab = open.find(0);
  const std::uint64_t changes = open.tabs->changes().count();
  open.server_process.reset();
  REQUIRE(open.comes_true([&] { return tab->closed; }));
  CHECK(open.comes_true([&] { return open.tabs->changes().count() > changes; }));
  const Failure failure = test::failure_of(open.io, open.tabs->find_open(WindowId{0}));
  CHECK(failure.code == ErrorCode::tab_closed);
  CHECK(failure.says("window_id: tab @0 is closed"));
  CHECK(open.find(0) == tab);  // its log and results can be read
}

TEST_CASE("tabs: an answer that is no row is an error that shows it, and nothing is opened") {
  OpenTabs open;
  open.create();
  open.tmux->print("new-window", "some\xff thing\n");
  const Failure failure = open.refusal();
  CHECK(failure.code == ErrorCode::tmux_failed);
  CHECK(failure.says("tmux answered new-window with \"some\xef\xbf\xbd thing"));
  CHECK(open.tabs->known().size() == 1);
}

TEST_CASE("tabs: one that cannot have its log is closed again, and its failure is what is told") {
  OpenTabs open;
  open.create();
  std::filesystem::create_directory(log_path(open.instance.generation(1), "@1"));
  const std::uint64_t changes = open.tabs->changes().count();
  const Failure failure = open.refusal();
  CHECK(failure.code == ErrorCode::io);
  CHECK(failure.says("No tab can be opened without its log"));
  CHECK(open.tmux->last("kill-window").commands == "kill-window -t \"@1\"");
  CHECK(open.tabs->known().size() == 1);
  CHECK(open.tabs->changes().count() > changes);
}

TEST_CASE("tabs: a session that a person closed is made again in the server that is there") {
  OpenTabs open;
  open.create();
  open.tmux->fail("new-window", "can't find session: $0");
  open.tmux->rows.clear();
  CHECK(open.create().window_id == WindowId{1});
  CHECK(open.tmux->times_asked("new-session") == 2);
  CHECK(open.server->generation() == 1);
  CHECK_FALSE(test::value_of(test::tmux_commands(open.tmux->last("new-session").commands).front(), "-F")
                  .starts_with("#{pid}"));
}

TEST_CASE("tabs: an answer that was lost is not known, unless its session has ended") {
  OpenTabs open;
  open.create();
  open.tmux->fail("new-window", "lost");
  CHECK(open.refusal().says("lost"));
  CHECK(open.tmux->times_asked("new-session") == 1);
  open.tmux->fail("has-session", "can't find session: $0");
  open.tmux->rows.clear();
  open.create();
  CHECK(open.tmux->times_asked("new-session") == 2);
}

TEST_CASE("tabs: where another has made the session meanwhile, the tab comes into that") {
  OpenTabs open;
  open.create();
  open.server->use_session("");
  open.tmux->fail("new-session", "duplicate session: tabs", 1);
  CHECK(open.create().window_id == WindowId{1});
  CHECK(test::value_of(test::tmux_commands(open.tmux->last("new-window").commands).front(), "-t") == "$0:");
}

TEST_CASE("tabs: a session is opened by who starts no server, guarded as any change (C12)") {
  OpenTabs open;
  open.create();
  open.server->use_session("");
  open.create();
  const auto& asked = open.tmux->last("new-session");
  CHECK_FALSE(asked.starts);
  CHECK(asked.of_server);
  CHECK(asked.in_time);
}

TEST_CASE("tabs: a server that dies as a session is opened there is followed by the next one (C12)") {
  for (const std::string how : {"no server running on /tmp/tmux.sock", "lost server", ""}) {
    CAPTURE(how);
    OpenTabs open;
    open.create();
    open.server->use_session("");
    open.tmux->on(
        "new-session",
        [&](const std::string&) {
          open.server_process.reset();
          open.tmux->rows.clear();
          return how.empty() ? ScriptedTmux::printed("") : ScriptedTmux::failed(how);
        },
        1);
    CHECK(open.create().window_id == WindowId{1});  // no id twice
    CHECK(open.server->generation() == 2);
    CHECK(test::value_of(test::tmux_commands(open.tmux->last("new-session").commands).front(), "-s") ==
          "tabs");
  }
}

TEST_CASE("tabs: those of a server that was left are found, and their commands looked after") {
  OpenTabs open;
  open.left_over({3, 5});
  test::run(open.io, open.tabs->attach());
  CHECK(open.looked_after == std::vector<WindowId>{WindowId{3}, WindowId{5}});
  CHECK(open.server->pid() == open.tmux->pid);
  CHECK(open.find(3)->log.path() == log_path(open.instance.generation(1), "@3"));
  // Our helpers and hooks: the server may be older than we are.
  CHECK(open.tmux->asked.front().commands.find("TERMINALLY_PANE_SHELL") != std::string::npos);
  CHECK(open.create().window_id == WindowId{0});
  CHECK(open.tmux->times_asked("\"new-session\"") == 0);
  const std::size_t asked = open.tmux->times_asked("display-message");
  const std::size_t listed = open.tmux->times_asked("list-panes");
  test::run(open.io, open.tabs->attach());  // it is known: nothing is asked
  CHECK(open.tmux->times_asked("display-message") == asked);
  CHECK(open.tmux->times_asked("list-panes") == listed);
}

TEST_CASE("tabs: a server that does not list its panes is not attached to, and the next try is a whole one") {
  OpenTabs open;
  open.left_over({3});
  open.tmux->become("list-panes", ScriptedTmux::Fate::lost, 1);
  CHECK(test::failure_of(open.io, open.tabs->find(WindowId{3})).code == ErrorCode::tmux_timeout);
  CHECK(open.server->pid() == 0);
  CHECK(open.looked_after.empty());
  CHECK(open.find(3)->window == WindowId{3});
  CHECK(open.looked_after.size() == 1);
}

TEST_CASE("tabs: a server whose processes cannot be seen from here is refused") {
  OpenTabs open;
  open.left_over({3});
  open.tmux->pid = ::getpid();  // by its count; here that is another process
  const Failure failure = test::failure_of(open.io, open.tabs->attach());
  CHECK(failure.code == ErrorCode::tmux_failed);
  CHECK(failure.says("is in another PID namespace"));
  CHECK(open.server->pid() == 0);
}

TEST_CASE("tabs: a server that ended as it answered is not one of elsewhere, where another listens by now") {
  OpenTabs open;
  open.left_over({3});
  constexpr int kNobody = (1 << 22) + 1;  // above what Linux gives
  open.tmux->print("display-message -p", std::to_string(kNobody) + "\t1\n", 3);
  test::run(open.io, open.tabs->attach());
  CHECK(open.server->pid() == open.tmux->pid);
}

TEST_CASE("tabs: a guest owns nothing, sets nothing, and starts no server") {
  OpenTabs open(true);
  Failure failure = open.refusal();
  CHECK(failure.code == ErrorCode::not_found);
  CHECK(failure.says("instance \"unit\" has no tmux server any more"));
  CHECK(open.tmux->asked.empty());
  open.left_over({3});
  CHECK(open.find(3)->for_person);
  CHECK(open.tmux->asked.front().commands.find("TERMINALLY_PANE_SHELL") == std::string::npos);
  CHECK(open.instance.owner_pid() == 0);
  failure = test::failure_of(open.io, open.tabs->find(WindowId{4}));
  CHECK(failure.text == "there is no tab @4; `terminally-mcp ls` lists those there are");
}

TEST_CASE("tabs: what tmux lists no more is closed; an id that nobody had is no tab") {
  OpenTabs open;
  open.create();
  open.create();
  open.tmux->rows.erase(open.tmux->rows.begin());
  test::run(open.io, open.tabs->refresh());
  CHECK(open.tabs->known().at(WindowId{0})->closed);
  CHECK_FALSE(open.tabs->known().at(WindowId{1})->closed);
  CHECK(test::failure_of(open.io, open.tabs->find_open(WindowId{0})).code == ErrorCode::tab_closed);
  const Failure failure = test::failure_of(open.io, open.tabs->find(WindowId{9}));
  CHECK(failure.code == ErrorCode::not_found);
  CHECK(failure.text == "window_id: there is no tab @9; list_tabs names those there are");
}

TEST_CASE("tabs: a closed one of an earlier life is found by what is left of it on disk") {
  OpenTabs open;
  std::filesystem::create_directories(open.instance.generation(4));
  test::append_to(log_path(open.instance.generation(4), "@8"), "old\r\n");
  const TabPtr tab = open.find(8);
  CHECK(tab->closed);
  CHECK(tab->log.end() == 5);
  CHECK(open.find(8) == tab);
  CHECK(test::failure_of(open.io, open.tabs->find(WindowId{7})).code == ErrorCode::not_found);
}

TEST_CASE(
    "tabs: a window that a person opened is a tab when it is asked for, a pane they split off is none") {
  OpenTabs open;
  open.create();
  PaneRow theirs = OpenTabs::row(6, "mine");
  theirs.in_tabs = false;
  theirs.session = "$9";
  open.tmux->rows.push_back(theirs);
  PaneRow split = OpenTabs::row(0);
  split.tag = "@0.%9";
  split.pane = PaneId{9};
  split.session = "$9";
  split.in_tabs = false;
  open.tmux->rows.push_back(split);
  CHECK(open.find(6)->name == "mine");
  CHECK(open.tabs->known().size() == 2);
  CHECK(open.find(0)->pane == PaneId{0});
  open.create();  // not beside theirs
  CHECK(test::value_of(test::tmux_commands(open.tmux->last("new-window").commands).front(), "-t") == "$0:");
}

TEST_CASE("tabs: who waited while tmux timed out for another waits for no time-out of its own") {
  OpenTabs open;
  open.config.tmux_deadline_ms = 60;
  open.come_anew();
  open.create();
  open.tmux->become("new-window", ScriptedTmux::Fate::held);
  test::UnderWay<CreatedTab> first(open.io, open.tabs->create(open.request("a")));
  test::UnderWay<CreatedTab> second(open.io, open.tabs->create(open.request("b")));
  CHECK_THROWS_AS(first.result(), Error);
  CHECK_THROWS_AS(second.result(), Error);
  CHECK(open.tmux->times_asked("new-window") == 1);
  open.tmux->let_go_on();
  CHECK(open.create().window_id == WindowId{1});  // who comes later waits anew
}

TEST_CASE("tabs: tmux is asked for them again only where it has told of a change, or nobody listened") {
  OpenTabs open;
  open.create();
  open.create();
  open.tmux->rows.at(0).window_active = true;
  const auto times_listed = [&open] {
    const std::size_t before = open.tmux->times_asked("list-panes");
    test::run(open.io, open.tabs->refresh());
    return open.tmux->times_asked("list-panes") - before;
  };
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 1);  // nobody listens
  open.tmux->told = 7;
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
  CHECK(times_listed() == 0);
  open.tmux->told = 8;
  open.tmux->rows.at(0).name = "renamed";
  CHECK(times_listed() == 1);
  CHECK(open.find(0)->name == "renamed");
  CHECK(times_listed() == 0);
  open.tmux->told.reset();
  CHECK(times_listed() == 1);
  open.tmux->told = 8;
  CHECK(times_listed() == 1);  // as nobody listened when it was asked last
  CHECK(times_listed() == 0);
  // What it tells of while it answers is told before the answer.
  open.tmux->on(
      "#{window_id}:",
      [&open](const std::string&) {
        ++*open.tmux->told;
        return ScriptedTmux::printed("@0:\n");
      },
      1);
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
  // What came while the list was under way may be in it, or not.
  open.tmux->told = 10;
  open.tmux->on(
      "list-panes",
      [&open](const std::string&) {
        ++*open.tmux->told;
        std::string out;
        for (const PaneRow& row : open.tmux->rows) {
          out += test::pane_line(row);
        }
        return ScriptedTmux::printed(out);
      },
      1);
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
}

TEST_CASE(
    "tabs: of what tmux does not tell it is asked: a lost process, a tab elsewhere, one that was opened") {
  OpenTabs open;
  open.create();
  open.create();
  open.tmux->rows.at(0).window_active = true;
  open.tmux->told = 1;
  const auto times_listed = [&open] {
    const std::size_t before = open.tmux->times_asked("list-panes");
    test::run(open.io, open.tabs->refresh());
    return open.tmux->times_asked("list-panes") - before;
  };
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
  open.find(0)->closed = true;  // its process was seen to be gone; tmux has given it another
  CHECK(times_listed() == 1);
  CHECK_FALSE(open.find(0)->closed);
  CHECK(times_listed() == 0);
  open.create();
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
  open.tmux->rows.at(0).layouts = "3";  // a person has split a window
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
  open.tmux->rows.at(1).session = "$1";
  open.tmux->told = 2;
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 1);
  open.tmux->rows.at(1).session = "$0";
  CHECK(times_listed() == 1);
  CHECK(times_listed() == 0);
}

TEST_CASE("tabs: what tmux tells nobody is seen: windows that were swapped at once, all else soon") {
  OpenTabs open;
  open.create();
  open.create();
  open.tmux->rows.at(0).window_active = true;
  open.tmux->told = 1;
  test::run(open.io, open.tabs->refresh());
  const auto times_listed = [&open] { return open.tmux->times_asked("list-panes"); };
  const std::size_t before = times_listed();
  std::swap(open.tmux->rows.at(0).window_active, open.tmux->rows.at(1).window_active);
  test::run(open.io, open.tabs->refresh());
  CHECK(times_listed() == before + 1);
  CHECK_FALSE(open.find(0)->active);
  CHECK(open.find(1)->active);
  open.tmux->rows.at(1).name = "by a hook";
  CHECK(open.comes_true([&] {
    test::run(open.io, open.tabs->refresh());
    return open.find(1)->name == "by a hook";
  }));
  CHECK(times_listed() == before + 2);
}

TEST_CASE("tabs: a silent tmux is no reason to tell what it said last") {
  OpenTabs open;
  open.config.tmux_deadline_ms = 50;
  open.come_anew();
  open.create();
  open.tmux->rows.at(0).window_active = true;
  open.tmux->told = 1;
  test::run(open.io, open.tabs->refresh());
  open.tmux->become("display-message", ScriptedTmux::Fate::lost);
  CHECK(test::failure_of(open.io, open.tabs->refresh()).code == ErrorCode::tmux_timeout);
}

TEST_CASE("tabs: who is gone is told of no more news") {
  OpenTabs open;
  CHECK(open.tmux->tell);
  open.tabs.reset();
  CHECK_FALSE(open.tmux->tell);
  open.come_anew();
  CHECK(open.tmux->tell);
}

TEST_CASE("tabs: a tmux that left a question unanswered for a second is named as what held a call up (V9)") {
  OpenTabs open;
  open.config.tmux_deadline_ms = 1'500;
  open.come_anew();
  open.create();
  const auto before = Clock::now();
  CHECK(open.server->what_held_up(before).starts_with("tmux left no question unanswered"));
  open.tmux->become("list-panes", ScriptedTmux::Fate::lost);
  CHECK_THROWS_AS(test::run(open.io, open.tabs->list_panes()), Error);
  CHECK(open.server->what_held_up(before).starts_with("tmux left a question unanswered for 1500 ms"));
  CHECK(open.server->what_held_up(Clock::now() + Milliseconds(1)).starts_with("tmux left no question"));
}

TEST_CASE("tabs: none is opened while another process starts tmux or clears up") {
  OpenTabs open;
  open.create();
  auto theirs = StartingLock::try_alone(open.instance);
  REQUIRE(theirs);
  test::UnderWay<CreatedTab> opens(open.io, open.tabs->create(open.request("work")));
  test::run(open.io, sleep_for(Milliseconds(100)));
  CHECK(open.tmux->times_asked("new-window") == 0);
  theirs.reset();
  CHECK(opens.result().window_id == WindowId{1});
}

}  // namespace terminally
