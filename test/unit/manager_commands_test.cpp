// Commands through the manager: run to their end, handed over, refused, found again. The shell is a real
// dash.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::Failure;
using test::latest_of;
using test::ManagerScene;
using test::ScriptedTmux;

StartProcess start_of(WindowId tab, const std::string& command) {
  StartProcess start;
  start.window_id = tab;
  start.command = command;
  return start;
}

ExecuteCommand run_of(std::optional<WindowId> tab, const std::string& command) {
  ExecuteCommand request;
  request.window_id = tab;
  request.command = command;
  return request;
}

WaitFor end_of(WindowId tab) {
  WaitFor wait;
  wait.window_id = tab;
  wait.waiting.timeout_ms = 15'000;
  return wait;
}

}  // namespace

TEST_CASE("manager commands: their output and exit code are theirs, and each byte is counted") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  const CommandResult result = scene.execute(tab, "echo hello; (exit 3)");
  CHECK(result.state == CommandState::completed);
  CHECK(result.reason == Reason::none);
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.timed_out);
  CHECK(result.output == "hello\n");
  CHECK(result.output_bytes == 7);
  CHECK(result.end_byte - result.start_byte == 7);
  CHECK(result.cwd == scene.directory.path());
  CHECK(result.window_id == tab);
  CHECK(result.command == "echo hello; (exit 3)");
  CHECK(test::content_of(scene.log_of(tab)).substr(result.start_byte, 7) == "hello\r\n");
}

TEST_CASE("manager commands: what is no command is refused by name, and nothing is typed") {
  ManagerScene scene;
  for (const std::string& bad : {std::string(), std::string(" \t\r\n"), std::string("a\0b", 3)}) {
    CAPTURE(bad);
    const std::string wanted =
        bad.size() == 3 ? "command: has a NUL byte, which no shell can take" : "command: must not be empty";
    CHECK(scene.failure(scene.manager->commands().execute(run_of(std::nullopt, bad))).text == wanted);
    CHECK(scene.failure(scene.manager->commands().start_process(start_of(WindowId{0}, bad))).text == wanted);
  }
  CHECK(scene.tmux->asked.empty());
}

TEST_CASE("manager commands: in one tab they run in the order they came") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  test::UnderWay<CommandResult> first(
      *scene.io, scene.manager->commands().execute(run_of(tab, "echo 1 >> order; echo first")));
  test::UnderWay<CommandResult> second(
      *scene.io, scene.manager->commands().execute(run_of(tab, "echo 2 >> order; echo second")));
  test::UnderWay<CommandResult> third(
      *scene.io, scene.manager->commands().execute(run_of(tab, "echo 3 >> order; echo third")));
  CHECK(third.result().output == "third\n");
  CHECK(first.result().output == "first\n");
  CHECK(second.result().output == "second\n");
  CHECK(test::content_of(scene.directory / "order") == "1\n2\n3\n");
}

// The record of the last command is looked at under the tab's lock, also by a person's `ls` or `attach`.
TEST_CASE("manager commands: a tab whose lock another process has for a moment is waited for") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  const auto path = scene.instance().runtime() / (std::to_string(scene.row_of(tab).pane.number) + ".lock");
  FileLock other = FileLock::try_lock(path);
  REQUIRE(other);
  test::UnderWay<CommandResult> waits(*scene.io,
                                      scene.manager->commands().execute(run_of(tab, "echo waited")));
  scene.settle();
  CHECK_FALSE(waits.is_done());
  other.release();
  CHECK(waits.result().output == "waited\n");
  other = FileLock::try_lock(path);
  REQUIRE(other);
  ExecuteCommand request = run_of(tab, "echo not run");
  request.timeout_ms = 100;
  const Failure refused = scene.failure(scene.manager->commands().execute(request));
  CHECK(refused.code == ErrorCode::busy);
  CHECK(refused.says("another terminally-mcp process has just begun or ended there; nothing was run"));
}

TEST_CASE("manager commands: in other tabs they run beside each other") {
  ManagerScene scene;
  const WindowId one = scene.open_tab("one");
  const WindowId other = scene.open_tab("other");
  REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
  test::UnderWay<CommandResult> waits(*scene.io, scene.manager->commands().execute(run_of(one, "cat gate")));
  CHECK(scene.execute(other, "echo through > gate").exit_code == 0);  // each waits for the other
  CHECK(waits.result().output == "through\n");
}

TEST_CASE(
    "manager commands: at its time-out one is interrupted, and the next call that gives it longer is named") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const CommandResult result = scene.execute(tab, "echo before; sleep 600", 500);
  CHECK(result.state == CommandState::cancelled);
  CHECK(result.reason == Reason::timeout);
  CHECK(result.timed_out);
  CHECK(result.output.starts_with("before\n"));
  CHECK(any_note(result.notes, "interrupted after timeout_ms, 500: to give it longer"));
  CHECK(scene.execute(tab, "echo after").output == "after\n");
}

TEST_CASE("manager commands: no command runs longer than the server allows") {
  ManagerScene scene([](Config& config) { config.max_duration_ms = 2'000; });
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const CommandResult result = scene.execute(tab, "sleep 600", 20'000);
  CHECK(result.reason == Reason::timeout);
  CHECK(
      any_note(result.notes,
               "interrupted after 2000 ms: no command may run longer here (the server's --max-duration-ms)"));
}

TEST_CASE("manager commands: one in the background runs on, is busy, and is ended by a cancel") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  ExecuteCommand request = run_of(tab, "sleep 600");
  request.timeout_ms = 50;
  request.on_timeout = OnTimeout::background;
  const CommandResult running = scene.run(scene.manager->commands().execute(request));
  CHECK(running.state == CommandState::running);
  CHECK(running.reason == Reason::handed_over);
  CHECK(running.timed_out);
  CHECK(any_note(running.notes, "still running: wait_for {"));
  CHECK(scene.run(scene.manager->tabs().list())[0].busy);

  const Failure busy = scene.failure(scene.manager->commands().execute(run_of(tab, "echo x")));
  CHECK(busy.code == ErrorCode::busy);
  CHECK(busy.says("There runs command " + running.command_id + " (sleep 600)"));
  CHECK(busy.says("to run this beside it: the same call without window_id"));

  const CommandResult cancelled = scene.cancel(tab);
  CHECK(cancelled.command_id == running.command_id);
  CHECK(cancelled.state == CommandState::cancelled);
  CHECK(cancelled.reason == Reason::cancelled_by_client);
  CHECK(cancelled.survivors.empty());
  CHECK_FALSE(scene.run(scene.manager->tabs().list())[0].busy);
  const CommandResult again = scene.cancel(tab);
  CHECK(again.command_id == running.command_id);
  CHECK(any_note(again.notes, "nothing was running; this is the last result"));
}

TEST_CASE("manager commands: after the synchronous window a call answers, and the command keeps its time") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  scene.config.sync_window_ms = 100;
  scene.restart();
  const CommandResult result = scene.execute(tab, "sleep 600", 20'000);
  CHECK(result.state == CommandState::running);
  CHECK(result.reason == Reason::handed_over);
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("manager commands: one whose client gives up is interrupted") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  bool begun = false;
  ExecuteCommand request = run_of(tab, "sleep 600");
  request.on_begin = [&](WindowId, const std::string&) { begun = true; };
  test::UnderWay<CommandResult> call(*scene.io, scene.manager->commands().execute(request));
  REQUIRE(scene.comes_true([&] { return begun; }));
  call.cancel();
  CHECK_THROWS_AS(call.result(), boost::system::system_error);
  const WaitForResult waited = scene.run(scene.manager->output().wait_for(end_of(tab)));
  CHECK(waited.matched);
  CHECK(waited.state == CommandState::cancelled);
  CHECK(scene.run(scene.manager->commands().state(latest_of(tab))).reason == Reason::cancelled_by_client);
}

TEST_CASE("manager commands: one whose client gives up while its answer is made is interrupted as well") {
  constexpr Milliseconds kWindow{1'000};
  ManagerScene scene([&](Config& config) { config.sync_window_ms = kWindow.count(); });
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  std::string drawn;
  for (int row = 0; row < 600'000; ++row) {
    drawn += "\x1b[5Arow " + std::to_string(row) + "\r\n\x1b[3B";
  }
  write_file(scene.directory / "drawn", drawn + "all");
  ExecuteCommand request = run_of(tab, "cat drawn; sleep 600");
  request.timeout_ms = 60'000;
  request.view.render = true;
  request.max_output_bytes = 1'000'000;
  const auto called = Clock::now();
  test::UnderWay<CommandResult> call(*scene.io, scene.manager->commands().execute(std::move(request)));
  REQUIRE(scene.comes_true([&] { return Clock::now() > called + kWindow + Milliseconds(40); }));
  REQUIRE_FALSE(call.is_done());
  call.cancel();
  CHECK_THROWS_AS(call.result(), boost::system::system_error);
  CHECK(scene.comes_true([&] {
    return scene.run(scene.manager->commands().state(latest_of(tab))).reason == Reason::cancelled_by_client;
  }));
}

TEST_CASE("manager commands: one that waits for the keyboard is answered by a text") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  const CommandResult asks = scene.execute(tab, "printf 'name? '; read name; echo \"hello $name\"");
  CHECK(asks.state == CommandState::running);
  CHECK(asks.reason == Reason::awaiting_input);
  REQUIRE(asks.awaiting_input);
  CHECK(asks.awaiting_input->kind == AwaitingInput::Kind::line);
  CHECK(asks.awaiting_input->prompt == "name?");
  CHECK(any_note(asks.notes, "it waits for the keyboard: send_text answers it"));
  SendText text;
  text.window_id = tab;
  text.text = "me #{pid} \"; x";
  const SentInput sent = scene.run(scene.manager->input().send_text(text));
  CHECK(sent.sent == text.text.size());
  CHECK(sent.notes.empty());
  const WaitForResult waited = scene.run(scene.manager->output().wait_for(end_of(tab)));
  CHECK(waited.matched);
  CHECK(waited.exit_code == 0);
  CHECK(waited.output.find("hello me #{pid} \"; x\n") != std::string::npos);
}

TEST_CASE("manager commands: a shell that ends with its command is replaced, and its exit code is true") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  const CommandResult result = scene.execute(tab, "echo last; exit 5");
  CHECK(result.state == CommandState::completed);
  CHECK(result.reason == Reason::shell_exited);
  CHECK(result.exit_code == 5);
  CHECK(result.output.starts_with("last\n"));
  CHECK(scene.execute(tab, "echo on").output == "on\n");
}

TEST_CASE("manager commands: a process is started, known by its id, and asked for later") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
  const StartedProcess started =
      scene.run(scene.manager->commands().start_process(start_of(tab, "echo up; cat gate")));
  CHECK(started.window_id == tab);
  CHECK(started.started == true);
  REQUIRE(started.command_id);
  CHECK(started.notes.empty());
  QueryCommand query = latest_of(tab);
  query.command_id = *started.command_id;
  CommandResult now = scene.run(scene.manager->commands().state(query));
  CHECK(now.state == CommandState::running);
  CHECK(now.start_byte == started.start_byte);
  test::append_to(scene.directory / "gate", "down\n");
  CHECK(scene.run(scene.manager->output().wait_for(end_of(tab))).exit_code == 0);
  now = scene.run(scene.manager->commands().state(query));
  CHECK(now.state == CommandState::completed);
  CHECK(now.output == "up\ndown\n");

  query.command_id = "ffffffff";
  CHECK(scene.failure(scene.manager->commands().state(query)).text ==
        "command_id: there is no command \"ffffffff\" in tab @0");
  const WindowId idle = scene.open_tab("idle");
  CHECK(scene.failure(scene.manager->commands().state(latest_of(idle))).text ==
        "window_id: no command was run in tab @1 yet");
}

TEST_CASE("manager commands: a text that is left at the prompt is not run") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  StartProcess start = start_of(tab, "echo unsent");
  start.append_newline = false;
  const StartedProcess pasted = scene.run(scene.manager->commands().start_process(start));
  CHECK(pasted.started == false);
  CHECK_FALSE(pasted.command_id);
  CHECK(test::content_of(scene.log_of(tab)).ends_with("$ echo unsent"));
  start.command = "one\ntwo";
  Failure failure = scene.failure(scene.manager->commands().start_process(start));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.says("command: has 1 newline, and dash in tab @0 would run each line"));
  start.command = "x\x03";
  failure = scene.failure(scene.manager->commands().start_process(start));
  CHECK(failure.says("command: has the control character U+0003 at byte 1"));
  CHECK(test::content_of(scene.log_of(tab)).ends_with("$ echo unsent"));
  CHECK(scene.execute(tab, "echo run").output == "run\n");  // what was left there is cleared
}

TEST_CASE("manager commands: a text for a prompt that does not come is refused in the time of its call") {
  ManagerScene scene;
  const std::filesystem::path gate_file = scene.directory / "gate";
  REQUIRE(::mkfifo(gate_file.c_str(), 0600) == 0);
  write_file(scene.directory / "start-up", "read line < '" + gate_file.string() + "'\n");
  CreateTab create;
  create.env = {{"ENV", (scene.directory / "start-up").string()}};
  StartProcess start = start_of(scene.run(scene.manager->tabs().create(create)).window_id, "text");
  start.append_newline = false;
  start.timeout_ms = 50;
  const auto called = Clock::now();
  const Failure failure = scene.failure(scene.manager->commands().start_process(start));
  CHECK(failure.code == ErrorCode::busy);
  CHECK(failure.says("did not come to its prompt in time"));
  CHECK(Clock::now() - called < Milliseconds(9'000));
  CHECK(scene.tmux->times_asked("load-buffer") == 0);
}

TEST_CASE("manager commands: one that ran when our server died is found again and followed to its end") {
  for (const bool ends_meanwhile : {false, true}) {
    CAPTURE(ends_meanwhile);
    ManagerScene scene;
    const WindowId tab = scene.open_tab();
    REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
    const StartedProcess started =
        scene.run(scene.manager->commands().start_process(start_of(tab, "echo up; cat gate; (exit 4)")));
    if (ends_meanwhile) {
      scene.manager.reset();
      test::append_to(scene.directory / "gate", "down\n");
      REQUIRE(test::eventually([&] { return test::content_of(scene.log_of(tab)).ends_with("$ "); }));
    }
    scene.restart();
    if (!ends_meanwhile) {
      const CommandResult now = scene.run(scene.manager->commands().state(latest_of(tab)));
      CHECK(now.state == CommandState::running);
      CHECK(scene.failure(scene.manager->commands().execute(run_of(tab, "echo x"))).code == ErrorCode::busy);
      test::append_to(scene.directory / "gate", "down\n");
    }
    CHECK(scene.run(scene.manager->output().wait_for(end_of(tab))).exit_code == 4);
    const CommandResult result = scene.run(scene.manager->commands().state(latest_of(tab)));
    CHECK(result.command_id == started.command_id);
    CHECK(result.state == CommandState::completed);
    CHECK(result.exit_code == 4);
    CHECK(result.output == "up\ndown\n");
    CHECK(scene.execute(tab, "echo on").output == "on\n");
  }
}

TEST_CASE(
    "manager commands: one that ended while nobody looked is as long as it ran, by whatever clock (V9)") {
  for (const bool clock_jumped : {false, true}) {
    CAPTURE(clock_jumped);
    ManagerScene scene;
    const WindowId tab = scene.open_tab();
    REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
    const auto before = Clock::now();
    scene.run(scene.manager->commands().start_process(start_of(tab, "cat gate")));
    scene.manager.reset();
    test::append_to(scene.directory / "gate", "down\n");
    REQUIRE(test::eventually([&] { return test::content_of(scene.log_of(tab)).ends_with("$ "); }));
    const auto over = Clock::now();
    REQUIRE(test::eventually([&] {
      bool told = false;  // the shell writes the exit code behind its END
      for (const auto& entry : std::filesystem::directory_iterator(scene.instance().files())) {
        if (entry.path().extension() == ".exit" && std::filesystem::file_size(entry.path()) > 0) {
          told = true;
          if (clock_jumped) {
            std::filesystem::last_write_time(
                entry.path(), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
          }
        }
      }
      return told;
    }));
    constexpr Milliseconds kNobodyLooks{600};
    REQUIRE(test::eventually([&] { return Clock::now() - over >= kNobodyLooks; }));
    scene.restart();
    const auto found = Clock::now();
    CHECK(scene.run(scene.manager->output().wait_for(end_of(tab))).exit_code == 0);
    const Milliseconds took(scene.run(scene.manager->commands().state(latest_of(tab))).duration_ms);
    if (clock_jumped) {
      CHECK(took <= Clock::now() - before);
    } else {
      CHECK(took < found - before - kNobodyLooks / 2);
    }
  }
}

TEST_CASE("manager commands: a server looks after those of the one before it by itself") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  ExecuteCommand request = run_of(tab, "sleep 600");
  request.timeout_ms = 400;
  bool begun = false;
  request.on_begin = [&](WindowId, const std::string&) { begun = true; };
  test::UnderWay<CommandResult> call(*scene.io, scene.manager->commands().execute(request));
  REQUIRE(scene.comes_true([&] { return begun; }));
  const std::filesystem::path runs = scene.instance().files() / "0.run";
  REQUIRE(std::filesystem::exists(runs));
  scene.restart();
  scene.tmux->fail("list-panes", "not now", 1);
  Spawned<void> looks(scene.io->get_executor(), scene.manager->look_after_running());
  REQUIRE(scene.comes_true([&] { return !std::filesystem::exists(runs); }));  // no call has asked for it
  const CommandResult result = scene.run(scene.manager->commands().state(latest_of(tab)));
  CHECK(result.state == CommandState::cancelled);
  CHECK(result.reason == Reason::timeout);
}

TEST_CASE(
    "manager commands: where the log cannot be read, a command is told all the same, and looked after") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  REQUIRE(::mkfifo((scene.directory / "gate").c_str(), 0600) == 0);
  std::string id;
  ExecuteCommand request = run_of(tab, "echo up; read line < gate; echo $line; (exit 4)");
  request.timeout_ms = 1'000;
  request.on_timeout = OnTimeout::background;
  request.on_begin = [&](WindowId, const std::string& begun) { id = begun; };
  test::UnderWay<CommandResult> call(*scene.io, scene.manager->commands().execute(request));
  const std::filesystem::path log = scene.log_of(tab);
  REQUIRE(scene.comes_true([&] { return test::content_of(log).ends_with("up\r\n"); }));
  const std::filesystem::path aside = scene.directory / "aside";
  std::filesystem::rename(log, aside);
  std::filesystem::create_directory(log);
  const CommandResult untold = call.result();
  CHECK(untold.command_id == id);
  CHECK(untold.state == CommandState::running);
  CHECK(test::any_note(untold.notes, log.string()));

  scene.restart();
  CHECK(scene.run(scene.manager->commands().state(latest_of(tab))).state == CommandState::running);
  std::filesystem::remove(log);
  std::filesystem::rename(aside, log);
  test::append_to(scene.directory / "gate", "down\n");
  CHECK(scene.run(scene.manager->output().wait_for(end_of(tab))).exit_code == 4);
  const CommandResult result = scene.run(scene.manager->commands().state(latest_of(tab)));
  CHECK(result.command_id == id);
  CHECK(result.output == "up\ndown\n");
}

TEST_CASE("manager commands: a command is typed once, or it is an error that says nothing was run") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  scene.tmux->fail("paste-buffer", "can't find pane: %0", 1);
  CHECK(scene.failure(scene.manager->commands().execute(run_of(tab, "echo x >> typed"))).code);
  CHECK_FALSE(std::filesystem::exists(scene.directory / "typed"));
  CHECK(scene.execute(tab, "echo y >> typed").exit_code == 0);
  CHECK(test::content_of(scene.directory / "typed") == "y\n");
}

TEST_CASE("manager commands: unknown and closed tabs") {
  ManagerScene scene;
  CHECK(scene.failure(scene.manager->commands().execute(run_of(WindowId{7}, "echo x"))).code ==
        ErrorCode::not_found);
  const WindowId tab = scene.open_tab();
  static_cast<void>(scene.run(scene.manager->tabs().close(tab, true)));
  CHECK(scene.failure(scene.manager->commands().execute(run_of(tab, "echo x"))).code ==
        ErrorCode::tab_closed);
  CHECK(scene.failure(scene.manager->commands().start_process(start_of(tab, "echo x"))).code ==
        ErrorCode::tab_closed);
  CHECK(scene.failure(scene.manager->stops().cancel_command(latest_of(tab), false)).code ==
        ErrorCode::tab_closed);
  CHECK(scene.failure(scene.manager->stops().stop_process(tab, StopSignal::interrupt)).code ==
        ErrorCode::tab_closed);
}

}  // namespace terminally
