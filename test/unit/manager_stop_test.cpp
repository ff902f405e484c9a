// What ends a command from outside: a signal, a cancel, of ours and of others; and the writers of logs.
#include <doctest/doctest.h>

#include "manager_scene.hpp"
#include "tmux/server/log_writers.hpp"
#include "tmux/server/writer_tries.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::Failure;
using test::latest_of;
using test::ManagerScene;

constexpr int kTries = 5;

struct Stopping : ManagerScene {
  WindowId tab = open_tab();

  std::string start(const std::string& command) {
    StartProcess request;
    request.window_id = tab;
    request.command = command;
    return run(manager->commands().start_process(request)).command_id.value_or("");
  }
  /// At its prompt, by nobody's command; what was sent there says that it is no step of the prompt.
  void type(const std::string& line, const std::string& shows) {
    SendText text;
    text.window_id = tab;
    text.text = line;
    REQUIRE(has_prompt(tab));
    static_cast<void>(run(manager->input().send_text(text)));
    REQUIRE(comes_true([&] { return run(manager->tabs().list())[0].foreground == shows; }));
  }
  CommandResult latest() { return run(manager->commands().state(latest_of(tab))); }
};

}  // namespace

TEST_CASE("manager stop: one signal ends a command, and its end counts as ours") {
  for (const StopSignal signal : {StopSignal::interrupt, StopSignal::terminate}) {
    CAPTURE(static_cast<int>(signal));
    Stopping scene;
    StoppedProcess stopped;
    // What has not ended within 2 s, on a machine that is busy, is told so, and has its end later.
    for (int i = 0; i < kTries && !stopped.success; ++i) {
      scene.start("sleep 600");
      const auto begin = Clock::now();
      stopped = scene.run(scene.manager->stops().stop_process(scene.tab, signal));
      CHECK((stopped.success || Clock::now() - begin >= Milliseconds(2'000)));
      CHECK(stopped.success == (stopped.state == CommandState::cancelled));
      REQUIRE(scene.comes_true([&] { return scene.latest().state == CommandState::cancelled; }));
    }
    CHECK(stopped.success);
    CHECK(stopped.survivors.empty());
    CHECK(scene.execute(scene.tab, "echo on").output == "on\n");
  }
}

TEST_CASE("manager stop: where nothing runs no signal is sent, and that is said") {
  Stopping scene;
  REQUIRE(scene.has_prompt(scene.tab));
  StoppedProcess stopped = scene.run(scene.manager->stops().stop_process(scene.tab, StopSignal::terminate));
  CHECK(stopped.success);
  CHECK(stopped.notes == std::vector<std::string>{"nothing was running in tab @0; no signal was sent"});
  CHECK(stopped.state == CommandState::completed);
  CHECK_FALSE(stopped.exit_code);
  CHECK(scene.execute(scene.tab, "(exit 9)").exit_code == 9);
  stopped = scene.run(scene.manager->stops().stop_process(scene.tab, StopSignal::interrupt));
  CHECK(stopped.exit_code == 9);  // of the latest
  CHECK(is_alive(scene.row_of(scene.tab).pane_pid));
}

TEST_CASE("manager stop: a person's program is stopped, too") {
  Stopping scene;
  bool success = false;
  for (int i = 0; i < kTries && !success; ++i) {
    scene.type("sleep 600", "sleep");
    success = scene.run(scene.manager->stops().stop_process(scene.tab, StopSignal::interrupt)).success;
    CHECK(scene.comes_true([&] { return scene.run(scene.manager->tabs().list())[0].foreground == "dash"; }));
  }
  CHECK(success);
}

TEST_CASE("manager cancel: what a person started is ended, named, and on record") {
  Stopping scene;
  scene.type("sleep 600", "sleep");
  const CommandResult cancelled = scene.cancel(scene.tab);
  CHECK(cancelled.state == CommandState::cancelled);
  CHECK(cancelled.reason == Reason::cancelled_by_client);
  CHECK(cancelled.command == "sleep 600");
  CHECK_FALSE(cancelled.exit_code);
  CHECK(any_note(cancelled.notes, "a person had started it: \"sleep 600\"; its exit code is not known"));
  CHECK(cancelled.survivors.empty());
  CHECK(scene.latest().command == "sleep 600");
}

TEST_CASE("manager cancel: in a tab in which nothing ever ran there is nothing to tell of") {
  Stopping scene;
  REQUIRE(scene.has_prompt(scene.tab));
  const Failure failure = scene.failure(scene.manager->stops().cancel_command(latest_of(scene.tab), false));
  CHECK(failure.code == ErrorCode::not_found);
  CHECK(failure.text == "window_id: no command was run in tab @0 yet");
}

TEST_CASE("manager cancel: by force it ends at once what asks to be left alone") {
  Stopping scene;
  scene.start("trap '' INT TERM HUP; echo deaf; while :; do sleep 600; done");
  REQUIRE(scene.comes_true(
      [&] { return test::content_of(scene.log_of(scene.tab)).find("deaf\r\n") != std::string::npos; }));
  const auto begin = Clock::now();
  const CommandResult cancelled = scene.cancel(scene.tab, true);
  CHECK(cancelled.state == CommandState::cancelled);
  CHECK(Clock::now() - begin < Milliseconds(5'000));  // not the time that being asked takes
  CHECK(scene.execute(scene.tab, "echo on").output == "on\n");
}

TEST_CASE("manager cancel: a command is ended by its id, and by no other") {
  Stopping scene;
  const std::string id = scene.start("sleep 600");
  scene.run(scene.manager->stops().end_command(scene.tab, id));
  CHECK(scene.latest().state == CommandState::cancelled);
  CHECK(scene.failure(scene.manager->stops().end_command(scene.tab, "ffffffff")).code ==
        ErrorCode::not_found);
  scene.run(scene.manager->stops().end_command(scene.tab, id));  // it has ended: nothing is left to do
  const std::string next = scene.start("sleep 600");
  scene.run(scene.manager->stops().end_command(scene.tab, id));
  CHECK(scene.latest().command_id == next);
  CHECK(scene.latest().state == CommandState::running);
}

TEST_CASE("manager cancel: who waits for a command learns of its end, however it came") {
  Stopping scene;
  const std::string id = scene.start("sleep 600");
  const auto ended =
      [&]() -> boost::asio::awaitable<bool> {  // NOLINT(cppcoreguidelines-avoid-capturing-lambda-coroutines)
    co_await scene.manager->commands().wait_for_end(scene.tab, id);
    co_return true;
  };
  test::UnderWay<bool> wait(*scene.io, ended());
  scene.settle();
  CHECK_FALSE(wait.is_done());
  static_cast<void>(scene.run(scene.manager->stops().stop_process(scene.tab, StopSignal::terminate)));
  CHECK(wait.result());
  CHECK(scene.failure(scene.manager->commands().wait_for_end(scene.tab, "ffffffff")).code ==
        ErrorCode::not_found);
}

TEST_CASE("manager cancel: a command that another process looks after is ended by that one") {
  Stopping scene;
  Config config = scene.config;
  config.guest = true;
  TmuxManager guest(scene.io->get_executor(), config, scene.tmux);
  bool begun = false;
  ExecuteCommand request;
  request.window_id = scene.tab;
  request.command = "sleep 600";
  request.who = "exec";
  request.on_begin = [&](WindowId, const std::string&) { begun = true; };
  test::UnderWay<CommandResult> theirs(*scene.io, guest.commands().execute(request));
  REQUIRE(scene.comes_true([&] { return begun; }));
  ExecuteCommand ours = request;
  ours.command = "true";
  ours.timeout_ms = 100;  // it waits for its turn so long
  const Failure busy = scene.failure(scene.manager->commands().execute(ours));
  CHECK(busy.code == ErrorCode::busy);
  CHECK(busy.says("(sleep 600) of exec"));
  SendText nothing;  // so that what has the foreground is no step of the prompt, for which is waited
  nothing.window_id = scene.tab;
  nothing.submit = false;
  static_cast<void>(scene.run(scene.manager->input().send_text(nothing)));
  const CommandResult cancelled = scene.cancel(scene.tab);
  CHECK(cancelled.command == "sleep 600");
  CHECK(cancelled.state == CommandState::cancelled);
  CHECK(theirs.result().state == CommandState::cancelled);
}

TEST_CASE("log writers: one that died is started at once; while none comes, ever later, and each 5 s (V7)") {
  const Clock::time_point begun;
  WriterTries tries(begun);
  CHECK(tries.next() == begun + Milliseconds(500));  // the first one is on its way
  const auto pauses = [&tries](int times) {
    std::vector<Milliseconds::rep> all;
    for (int i = 0; i < times; ++i) {
      const Clock::time_point now = tries.next();
      tries.tried(now);
      all.push_back(std::chrono::duration_cast<Milliseconds>(tries.next() - now).count());
    }
    return all;
  };
  CHECK(pauses(9) == std::vector<Milliseconds::rep>{50, 100, 200, 400, 800, 1'600, 3'200, 5'000, 5'000});
  const Clock::time_point died = tries.next() + Milliseconds(700);
  tries.lost_one(died);
  CHECK(tries.next() == died);
  CHECK(pauses(2) == std::vector<Milliseconds::rep>{50, 100});
}

TEST_CASE("log writers: a pane without one gets one again, but for panes that are not ours, and for guests") {
  boost::asio::io_context io(1);
  const test::TempDir directory;
  auto tmux = std::make_shared<test::ScriptedTmux>();
  const TmuxClient client(tmux, Milliseconds(1'000));
  Config config;
  config.helper_dir = "/opt/helpers";
  LogWriters writers(io.get_executor(), config);
  PaneRow row;
  row.tag = "@3";
  row.pane = PaneId{5};
  row.pane_pid = ::getpid();
  PaneRow untagged = row;
  untagged.tag = "";
  untagged.pane = PaneId{6};
  writers.guard(row, directory.path(), client);
  writers.guard(row, directory.path(), client);  // it is guarded already
  writers.guard(untagged, directory.path(), client);
  Config of_guest = config;
  of_guest.guest = true;
  LogWriters none(io.get_executor(), of_guest);
  PaneRow other = row;
  other.pane = PaneId{7};
  none.guard(other, directory.path(), client);
  const auto comes = [&](const auto& is_so) {
    const auto give_up_at = Clock::now() + Milliseconds(10'000);
    while (!is_so() && Clock::now() < give_up_at) {
      io.run_one_for(Milliseconds(20));
    }
    return is_so();
  };
  CHECK(comes([&] { return tmux->times_asked("pipe-pane") == 2; }));
  // Its first writer may be on its way: what is piped by then stays so.
  CHECK(tmux->asked[0].commands.starts_with("if-shell -F -t \"%5\" '#{pane_pipe}' '' "));
  CHECK(tmux->asked[0].in_time);
  CHECK(tmux->asked[0].commands.find("/opt/helpers/terminally-log") != std::string::npos);
  test::append_to(directory / "pane-@3.log.index", "a writer was there\n");
  tmux->asked.clear();
  CHECK(comes([&] {  // in place of the one that died
    return std::ranges::any_of(
        tmux->asked, [](const auto& asked) { return asked.commands.starts_with("pipe-pane -t \"%5\" "); });
  }));
  CHECK(std::ranges::none_of(tmux->asked, [](const auto& asked) {
    return asked.commands.find("%6") != std::string::npos || asked.commands.find("%7") != std::string::npos;
  }));
  writers.stop();
  none.stop();
}

}  // namespace terminally
