// The keyboard and the screen of a tab through the manager. What is typed goes to a real terminal.
#include <doctest/doctest.h>

#include "manager_scene.hpp"
#include "tab/tab_queue.hpp"

namespace terminally {
namespace {

using test::any_note;
using test::Failure;
using test::ManagerScene;
using test::ScriptedTmux;

SendText text_to(WindowId tab, const std::string& text, bool submit = true) {
  SendText request;
  request.window_id = tab;
  request.text = text;
  request.submit = submit;
  return request;
}

SendKeys keys_to(WindowId tab, const std::vector<std::string>& keys) {
  SendKeys request;
  request.window_id = tab;
  request.keys = keys;
  return request;
}

/// A tab in which a program keeps what it reads.
struct ReadingTab : ManagerScene {
  WindowId tab = open_tab();

  ReadingTab() {
    StartProcess start;
    start.window_id = tab;
    start.command = "echo ready; cat > typed";
    static_cast<void>(run(manager->commands().start_process(start)));
    REQUIRE(comes_true([&] { return prints("ready\r\n"); }));
    QueryCommand query;
    query.window_id = tab;
    REQUIRE(comes_true([&] { return run(manager->commands().state(query)).awaiting_input.has_value(); }));
  }
  [[nodiscard]] bool prints(const std::string& text) const {
    return test::content_of(log_of(tab)).find(text) != std::string::npos;
  }
  /// Before all that is typed copy mode is left. (A log's writer is asked for now and then, too.)
  [[nodiscard]] std::size_t times_typed() const { return tmux->times_asked("copy-mode -q"); }
  bool reads(const std::string& text) {
    return comes_true([&] { return test::content_of(directory / "typed") == text; });
  }
};

}  // namespace

TEST_CASE("manager input: a text comes to the program as it is, with Enter where it is wanted") {
  ReadingTab scene;
  const std::uint64_t before = PaneLog(scene.log_of(scene.tab)).end();
  const SentInput sent =
      scene.run(scene.manager->input().send_text(text_to(scene.tab, "-one \"$x\" ; #{pid} ~ ü")));
  CHECK(sent.sent == std::string("-one \"$x\" ; #{pid} ~ ü").size());
  CHECK(sent.from_byte == before);
  CHECK(sent.notes.empty());
  CHECK(scene.reads("-one \"$x\" ; #{pid} ~ ü\n"));
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, "two\nthree\n"))));
  CHECK(scene.reads("-one \"$x\" ; #{pid} ~ ü\ntwo\nthree\n"));  // one Enter behind the last line
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, "", true))));
  CHECK(scene.reads("-one \"$x\" ; #{pid} ~ ü\ntwo\nthree\n\n"));
  const std::size_t typed = scene.times_typed();
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, "", false))));
  CHECK(scene.times_typed() == typed);  // nothing to type
}

TEST_CASE("manager input: a text without Enter waits on its line") {
  ReadingTab scene;
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, "half", false))));
  CHECK(scene.comes_true([&] { return scene.prints("half"); }));
  CHECK(test::content_of(scene.directory / "typed").empty());
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, " whole", true))));
  CHECK(scene.reads("half whole\n"));
}

TEST_CASE("manager input: several lines are pasted as one, a line is typed") {
  ReadingTab scene;
  const auto is_paste = [&](const std::string& text) {
    static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, text))));
    return scene.tmux->last("paste-buffer").commands.find("paste-buffer -p ") != std::string::npos;
  };
  CHECK_FALSE(is_paste(":wq"));
  CHECK(is_paste("a\nb"));
  CHECK(is_paste("a\tb"));
}

TEST_CASE("manager input: a text that cannot be typed is refused by name, and nothing is sent") {
  ReadingTab scene;
  const std::size_t pastes = scene.tmux->times_asked("paste-buffer");
  struct Case {
    std::string text;
    std::string says;
  };
  for (const Case& one :
       std::vector<Case>{{std::string("a\0b", 3), "text: has a NUL character at byte 1"},
                         {"\xff", "text: is not UTF-8"},
                         {"ab\x1b[A", "text: has the control character U+001B at byte 2"},
                         {"ok\n" + std::string(4'096, 'x'),
                          "text: line 2 has 4096 bytes, and the program reads by the line"}}) {
    CAPTURE(one.says);
    const Failure failure = scene.failure(scene.manager->input().send_text(text_to(scene.tab, one.text)));
    CHECK(failure.code == ErrorCode::invalid_argument);
    CHECK(failure.says(one.says));
  }
  CHECK(scene.tmux->times_asked("paste-buffer") == pastes);
  SendText allowed = text_to(scene.tab,
                             "ab\x05"
                             "c");
  allowed.allow_control = true;
  static_cast<void>(scene.run(scene.manager->input().send_text(allowed)));
  CHECK(
      scene.reads("ab\x05"
                  "c\n"));
}

TEST_CASE("manager input: a text at the shell's prompt is typed, and told what would be better") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  REQUIRE(scene.has_prompt(tab));
  const SentInput sent = scene.run(scene.manager->input().send_text(text_to(tab, "echo typed > file")));
  CHECK(any_note(sent.notes, "typed at the shell's prompt, as a person would"));
  CHECK(scene.comes_true([&] { return test::content_of(scene.directory / "file") == "typed\n"; }));
}

TEST_CASE("manager input: what tmux was told to type once is never typed again") {
  ReadingTab scene;
  const std::size_t pastes = scene.tmux->times_asked("paste-buffer");
  scene.tmux->become("paste-buffer", ScriptedTmux::Fate::lost, 1);
  CHECK(scene.failure(scene.manager->input().send_text(text_to(scene.tab, "lost"))).code ==
        ErrorCode::tmux_timeout);
  CHECK(scene.tmux->times_asked("paste-buffer") == pastes + 1);
  // A command that may have ended by then, or set its path: taken over while it waits, three times at most.
  scene.tmux->condition_holds = true;
  const Failure failure = scene.failure(scene.manager->input().send_text(text_to(scene.tab, "late")));
  CHECK(failure.code == ErrorCode::busy);
  CHECK(failure.says("may have ended before tmux could type it; nothing was sent"));
  CHECK(scene.tmux->times_asked("paste-buffer") == pastes + 4);
  CHECK(scene.tmux->times_asked("@terminally_path '") == 3);
  scene.tmux->condition_holds = false;
  static_cast<void>(scene.run(scene.manager->input().send_text(text_to(scene.tab, "typed"))));
  CHECK(scene.reads("typed\n"));
  for (const auto& file : std::filesystem::directory_iterator(scene.instance().runtime())) {
    CHECK_FALSE(file.path().filename().string().starts_with("paste-"));
  }
}

TEST_CASE("manager input: keys are checked before they are sent, by their place") {
  ReadingTab scene;
  const std::size_t typed = scene.times_typed();
  CHECK(scene.failure(scene.manager->input().send_keys(keys_to(scene.tab, {}))).text ==
        "keys: must not be empty");
  const Failure failure =
      scene.failure(scene.manager->input().send_keys(keys_to(scene.tab, {"Up", "Ctrl-C"})));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.says("keys[1]: \"Ctrl-C\" is no key"));
  CHECK(scene.times_typed() == typed);
  CHECK(scene.run(scene.manager->input().send_keys(keys_to(scene.tab, {"C-c"}))).sent == 1);
  CHECK(scene.times_typed() == typed + 1);
  WaitFor wait;
  wait.window_id = scene.tab;
  const WaitForResult waited = scene.run(scene.manager->output().wait_for(wait));
  CHECK(waited.matched);  // it has ended
}

TEST_CASE("manager input: a person's keys go to a program that waits for them, a line at a time") {
  ReadingTab scene;
  using Fate = OfferedKeys::Fate;
  OfferedKeys offered;
  CHECK(scene.comes_true([&] {
    offered = scene.run(scene.manager->input().offer_keys(scene.tab, "one\rtwo\r"));
    return offered.fate == Fate::typed;
  }));
  CHECK(offered.bytes == 4);
  CHECK(scene.reads("one\n"));
  CHECK(scene.run(scene.manager->input().offer_keys(scene.tab, "")).fate == Fate::held);
  const WindowId idle = scene.open_tab("idle");
  REQUIRE(scene.has_prompt(idle));
  CHECK(scene.run(scene.manager->input().offer_keys(idle, "x")).fate ==
        Fate::held);  // a prompt waits for no answer
  CHECK(scene.failure(scene.manager->input().offer_keys(WindowId{9}, "x")).code == ErrorCode::not_found);
}

TEST_CASE("manager input: a screen is what tmux shows of the tab's own pane") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  ReadScreen request;
  request.window_id = tab;
  scene.tmux->print("capture-pane", "2 80 1 3 0 0\nfirst row\n$ ls\ntitle\n", 1);
  const TabScreen screen = scene.run(scene.manager->output().read_screen(request));
  CHECK(screen.text == "first row\n$ ls\n");
  CHECK(screen.cols == 80);
  CHECK(screen.title == "title");
  CHECK(scene.tmux->last("capture-pane").of_server);
  CHECK_FALSE(scene.tmux->last("capture-pane").in_time);  // it changes nothing
  scene.tmux->fail("capture-pane", "can't find pane: %0", 1);
  Failure failure = scene.failure(scene.manager->output().read_screen(request));
  CHECK(failure.code == ErrorCode::tab_closed);
  CHECK(failure.text == "tab @0 is closed; its log can still be read");
  scene.tmux->become("capture-pane", ScriptedTmux::Fate::lost, 1);
  CHECK(scene.failure(scene.manager->output().read_screen(request)).code == ErrorCode::tmux_timeout);
  request.window_id = WindowId{5};
  CHECK(scene.failure(scene.manager->output().read_screen(request)).code == ErrorCode::not_found);
}

TEST_CASE("manager input: a tab that is gone takes nothing") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  static_cast<void>(scene.run(scene.manager->tabs().close(tab, true)));
  CHECK(scene.failure(scene.manager->input().send_text(text_to(tab, "x"))).code == ErrorCode::tab_closed);
  CHECK(scene.failure(scene.manager->input().send_keys(keys_to(tab, {"Up"}))).code == ErrorCode::tab_closed);
  CHECK(scene.failure(scene.manager->input().send_text(text_to(WindowId{9}, "x"))).code ==
        ErrorCode::not_found);
}

TEST_CASE("manager input: neither text nor cancel comes before the command of a process that has the turn") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  static_cast<void>(scene.execute(tab, "true"));
  REQUIRE(scene.has_prompt(tab));
  for (const bool cancels : {false, true}) {
    CAPTURE(cancels);
    auto theirs = TabQueue(scene.instance().runtime() / "0.queue").join();
    REQUIRE(theirs);
    const auto check = [&](auto& call) {
      scene.run(sleep_for(Milliseconds(150)));
      CHECK_FALSE(call.is_done());
      theirs->leave();
      static_cast<void>(call.result());
    };
    if (cancels) {
      test::UnderWay<CommandResult> call(*scene.io,
                                         scene.manager->stops().cancel_command(test::latest_of(tab), false));
      check(call);
    } else {
      test::UnderWay<SentInput> call(*scene.io, scene.manager->input().send_text(text_to(tab, "", false)));
      check(call);
    }
  }
}

}  // namespace terminally
