// Where a command runs whose caller names no tab: the tab "main", a helper tab beside it, or none.
#include "tmux/tabs/tab_chooser.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "manager_scene.hpp"
#include "tab/place_choice.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::Failure;
using test::ManagerScene;
using test::ScriptedTmux;

struct Choosing : ManagerScene {
  CommandResult execute_anywhere(const std::string& command, std::uint64_t timeout_ms = 10'000) {
    return run(manager->commands().execute(anywhere(command, timeout_ms)));
  }
  static ExecuteCommand anywhere(const std::string& command, std::uint64_t timeout_ms = 10'000) {
    ExecuteCommand request;
    request.command = command;
    request.timeout_ms = timeout_ms;
    return request;
  }
  /// From now on something runs where the next command without a tab would.
  WindowId keep_busy(const std::string& command = "sleep 600") {
    StartProcess start;
    start.command = command;
    const StartedProcess started = run(manager->commands().start_process(start));
    REQUIRE(started.started == true);
    return started.window_id;
  }
  std::string name_of_tab(WindowId tab) { return row_of(tab).name; }
};

}  // namespace

TEST_CASE("tab chooser: the tab \"main\" is made on first use, and used again while it is free") {
  Choosing scene;
  const CommandResult first = scene.execute_anywhere("cd /; echo 1");
  CHECK(scene.name_of_tab(first.window_id) == "main");
  CHECK(first.notes.empty());
  const CommandResult second = scene.execute_anywhere("pwd");
  CHECK(second.window_id == first.window_id);
  CHECK(second.output == "/\n");
  CHECK(second.notes.empty());
  scene.restart();  // it is known by its name: also to the next server
  CHECK(scene.execute_anywhere("pwd").window_id == first.window_id);
  CHECK(scene.tmux->rows.size() == 1);
}

TEST_CASE(
    "tab chooser: beside a busy main a command runs in a helper tab, in main's directory, and is told so") {
  Choosing scene;
  const WindowId main = scene.execute_anywhere("cd '" + scene.directory.path().string() + "'").window_id;
  scene.keep_busy();
  const CommandResult beside = scene.execute_anywhere("pwd");
  CHECK(beside.window_id != main);
  CHECK(scene.name_of_tab(beside.window_id) == "main-2");
  CHECK(beside.output == scene.directory.path().string() + "\n");
  CHECK(any_note(beside.notes, "the tab \"main\" is busy: command "));
  CHECK(any_note(beside.notes, "(sleep 600) runs there; this ran in its helper tab @1 (main-2), in " +
                                   scene.directory.path().string()));
  REQUIRE(scene.has_prompt(beside.window_id));
  CHECK(scene.execute_anywhere("pwd").window_id == beside.window_id);  // idle: used again
  static_cast<void>(scene.cancel(main, true));
  const CommandResult back = scene.execute_anywhere("pwd");
  CHECK(back.window_id == main);
  CHECK(back.notes.empty());
}

TEST_CASE("tab chooser: a helper tab that is elsewhere is left there while there may be another") {
  Choosing scene;
  static_cast<void>(scene.execute_anywhere("cd '" + scene.directory.path().string() + "'"));
  scene.keep_busy();
  const WindowId helper = scene.execute_anywhere("cd /tmp").window_id;
  const CommandResult other = scene.execute_anywhere("pwd");
  CHECK(scene.name_of_tab(other.window_id) == "main-3");
  CHECK(other.output == scene.directory.path().string() + "\n");
  // One that has another name by now is a person's own, or the caller's.
  scene.run(scene.manager->tabs().rename(other.window_id, "mine"));
  scene.run(scene.manager->tabs().rename(helper, "mine too"));
  CHECK(scene.name_of_tab(scene.execute_anywhere("pwd").window_id) == "main-2");
  CHECK(scene.tmux->rows.size() == 4);
}

TEST_CASE("tab chooser: an idle helper tab takes a call that names it, while another is opened") {
  Choosing scene;
  static_cast<void>(scene.execute_anywhere("cd '" + scene.directory.path().string() + "'"));
  scene.keep_busy();
  const WindowId helper = scene.execute_anywhere("cd /tmp").window_id;
  REQUIRE(scene.has_prompt(helper));
  bool is_free = false;
  std::string opens;
  scene.tmux->on("new-window", [&](const std::string& commands) {
    is_free = static_cast<bool>(FileLock::try_lock(scene.instance().runtime() / "1.lock"));
    opens = commands;
    return ScriptedTmux::failed("no space for a window");
  });
  CHECK(scene.failure(scene.manager->commands().execute(Choosing::anywhere("pwd")))
            .says("no space for a window"));
  CHECK(opens.find("main-3") != std::string::npos);
  CHECK(is_free);
}

TEST_CASE("tab chooser: a tab of a helper's name that we did not open as one is none") {
  Choosing scene;
  static_cast<void>(scene.execute_anywhere("cd '" + scene.directory.path().string() + "'"));
  const WindowId theirs = scene.open_tab("main-2");
  REQUIRE(scene.has_prompt(theirs));
  scene.keep_busy();
  CHECK(scene.execute_anywhere("pwd").window_id != theirs);
}

TEST_CASE("tab chooser: calls that come at once run beside each other") {
  Choosing scene;
  REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
  static_cast<void>(scene.execute_anywhere("cd '" + scene.directory.path().string() + "'"));
  test::UnderWay<CommandResult> first(*scene.io,
                                      scene.manager->commands().execute(Choosing::anywhere("cat gate")));
  test::UnderWay<CommandResult> second(
      *scene.io, scene.manager->commands().execute(Choosing::anywhere("echo through > gate")));
  CHECK(first.result().output == "through\n");
  CHECK(second.result().window_id != WindowId{0});
}

TEST_CASE("tab chooser: a new main is told of where the one before had another end than ours") {
  struct Case {
    std::string what;
    std::string note;
  };
  for (const Case& one : std::vector<Case>{{"renamed", "@0, has another name now: this ran in a new one"},
                                           {"ended", "@0, is closed: this ran in a new one"},
                                           {"closed by us", ""}}) {
    CAPTURE(one.what);
    Choosing scene;
    const WindowId main = scene.execute_anywhere("true").window_id;
    if (one.what == "renamed") {
      scene.run(scene.manager->tabs().rename(main, "mine"));
    } else if (one.what == "ended") {
      const PaneRow gone = scene.row_of(main);
      scene.tmux->panes.erase(gone.pane.number);
      std::erase_if(scene.tmux->rows, [&](const PaneRow& row) { return row.pane == gone.pane; });
    } else {
      static_cast<void>(scene.run(scene.manager->tabs().close(main, true)));
    }
    const CommandResult result = scene.execute_anywhere("true");
    CHECK(result.window_id == WindowId{1});
    CHECK(scene.name_of_tab(result.window_id) == "main");
    CHECK(one.note.empty() == result.notes.empty());
    CHECK((one.note.empty() || any_note(result.notes, one.note)));
    CHECK(scene.execute_anywhere("true").notes.empty());  // said once
  }
}

TEST_CASE("tab chooser: a directory that is gone is no place for a helper tab") {
  Choosing scene;
  const std::filesystem::path place = scene.directory / "place";
  std::filesystem::create_directory(place);
  static_cast<void>(scene.execute_anywhere("cd '" + place.string() + "'"));
  scene.keep_busy();
  std::filesystem::remove(place);
  const Failure failure = scene.failure(scene.manager->commands().execute(Choosing::anywhere("pwd")));
  CHECK(failure.code == ErrorCode::busy);
  CHECK(failure.says("and its directory is gone, or cannot be read; nothing was run"));
  CHECK(scene.tmux->rows.size() == 1);
}

TEST_CASE("tab chooser: where main and all its helpers are busy, a call waits as long as it may") {
  Choosing scene;
  for (std::size_t tabs = 0; tabs <= kMostHelpers; ++tabs) {
    scene.keep_busy();
  }
  CHECK(scene.tmux->rows.size() == kMostHelpers + 1);
  const Failure failure = scene.failure(scene.manager->commands().execute(Choosing::anywhere("pwd", 60)));
  CHECK(failure.code == ErrorCode::busy);
  CHECK(failure.says("the tab \"main\" and its 8 helper tabs were busy for the whole time of this call"));
  CHECK(scene.tmux->rows.size() == kMostHelpers + 1);
  // One of them is free in time.
  test::UnderWay<CommandResult> waits(*scene.io,
                                      scene.manager->commands().execute(Choosing::anywhere("echo at last")));
  static_cast<void>(scene.cancel(WindowId{3}, true));
  const CommandResult result = waits.result();
  CHECK(result.window_id == WindowId{3});
  CHECK(result.output == "at last\n");
}

TEST_CASE("tab chooser: where a person types just now, nothing else does") {
  Choosing scene;
  const WindowId main = scene.execute_anywhere("true").window_id;
  REQUIRE(scene.has_prompt(main));
  scene.row_of(main).person_types = true;
  const CommandResult beside = scene.execute_anywhere("true");
  CHECK(beside.window_id != main);
  CHECK(any_note(beside.notes, "a person is typing in it"));
}

TEST_CASE("tab chooser: a tab that another process of ours has just taken is not chosen") {
  Choosing scene;
  const WindowId main = scene.execute_anywhere("true").window_id;
  REQUIRE(scene.has_prompt(main));
  const FileLock theirs = FileLock::try_lock(scene.instance().runtime() / "0.lock");
  REQUIRE(theirs);
  CHECK(scene.execute_anywhere("true").window_id != main);
}

TEST_CASE("tab chooser: processes choose one after the other; one that stands still loses its turn") {
  Choosing scene;
  static_cast<void>(scene.execute_anywhere("true"));
  const std::filesystem::path lock = scene.instance().runtime() / "choosing.lock";
  const FileLock theirs = FileLock::try_lock(lock);
  REQUIRE(theirs);
  ::futimens(theirs.fd(), nullptr);
  const Failure failure = scene.failure(scene.manager->commands().execute(Choosing::anywhere("true", 50)));
  CHECK(failure.code == ErrorCode::busy);
  CHECK(failure.says("a call without window_id that came before this one had found no tab yet"));
  const timespec long_ago[2] = {{::time(nullptr) - 60, 0}, {::time(nullptr) - 60, 0}};
  REQUIRE(::futimens(theirs.fd(), long_ago) == 0);
  CHECK(scene.execute_anywhere("echo on").output == "on\n");
  CHECK(theirs.is_unlinked());
}

TEST_CASE("tab chooser: a call whose tmux is silent says so, and ran nothing") {
  Choosing scene;
  static_cast<void>(scene.execute_anywhere("true"));
  scene.tmux->become("list-panes", test::ScriptedTmux::Fate::lost, 1);
  CHECK(scene.failure(scene.manager->commands().execute(Choosing::anywhere("true"))).code ==
        ErrorCode::tmux_timeout);
  CHECK(scene.execute_anywhere("echo on").output == "on\n");
}

}  // namespace terminally
