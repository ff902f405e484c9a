// What a person has left at the prompt is not run when a command of ours comes, and is told.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "pty_tab.hpp"
#include "system/terminal.hpp"
#include "text/ansi.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

/// A tab in which a command of ours has run, and then somebody typed this and did not enter it.
void leave_half_typed(PtyTab& tab, const std::string& keys) {
  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  const std::size_t before = tab.log().size();
  tab.pane().press(keys);
  const std::string last = keys.substr(keys.size() - 3);
  REQUIRE(
      tab.comes_true([&] { return strip_ansi(tab.log().substr(before)).find(last) != std::string::npos; }));
}

}  // namespace

TEST_CASE("command clear: a half-typed line is neither run nor kept, and the note has it") {
  const std::string line = R"(printf '%s|' "$HOME x" \* > half-run)";
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    leave_half_typed(tab, line);
    const RunPtr run = tab.run("echo ours");
    CHECK(tab.output(run) == "ours\n");
    REQUIRE(run->record().notes.size() == 1);
    CHECK(run->record().notes[0] ==
          "somebody may have typed here since the last command (a client was attached, or keys were sent): "
          "C-c went first, so that nothing of it was run or completed. The line was: \"" +
              line + "\"; it is not put back: tell them, or send_text with submit: false types it again");
    CHECK(tab.pane().typed.back().first == TypedAs::line);
    REQUIRE(tab.comes_to_prompt());
    tab.pane().press("echo later > later\r");  // nothing stands before it
    CHECK(tab.comes_true([&] { return test::content_of(tab.home() / "later") == "later\n"; }));
    CHECK_FALSE(std::filesystem::exists(tab.home() / "half-run"));
  }
}

TEST_CASE("command clear: at an empty prompt that somebody visited nothing is said") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    tab.run("sh -c 'exit 4'");
    REQUIRE(tab.comes_to_prompt());
    tab.pane().facts = PaneFact::others_typed;
    const RunPtr run = tab.run(shell == "/usr/bin/fish" ? "echo ours" : "echo ours $?");
    CHECK(run->record().notes.empty());
    // $? is of our command before, not of our C-c.
    CHECK(tab.output(run) == (shell == "/usr/bin/fish" ? "ours\n" : "ours 4\n"));
    CHECK(tab.pane().typed.back().first == TypedAs::line);
  }
}

TEST_CASE("command clear: a person is told without our tools") {
  PtyTab person("/bin/dash");
  person.tab->for_person = true;
  leave_half_typed(person, "echo half");
  const RunPtr other = person.run("true");
  REQUIRE(other->record().notes.size() == 1);
  CHECK(other->record().notes[0].ends_with("\"echo half\"; it is not put back"));
}

TEST_CASE("command clear: the line is told also where the command is called off") {
  PtyTab tab("/bin/bash");
  leave_half_typed(tab, "echo half > half-run");
  RunPtr run;
  tab.pane().on_type = [&](const std::string& bytes) {
    if (bytes == "\x03") {
      run->request_end(Reason::cancelled_by_client, false);
    }
    return std::pair(bytes, true);
  };
  run = tab.begin("echo never > never");
  REQUIRE(tab.comes_true([&] { return run->has_ended(); }));
  CHECK(run->was_called_off());
  REQUIRE(run->record().notes.size() >= 1);
  CHECK(run->record().notes[0].find("The line was: \"echo half > half-run\"") != std::string::npos);
  CHECK(tab.tab->runs.empty());
  tab.pane().press("\r");
  REQUIRE(tab.comes_to_prompt());
  CHECK_FALSE(std::filesystem::exists(tab.home() / "half-run"));
  CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
}

TEST_CASE("command clear: no C-c goes to who types again in that moment, nor to what they have started") {
  PtyTab tab("/bin/dash");
  leave_half_typed(tab, "echo half");
  const int asked = tab.pane().times_asked;
  const RunPtr run = tab.begin("echo ours");
  REQUIRE(tab.comes_true([&] { return tab.pane().times_asked == asked + 2; }));  // whether they have paused
  tab.pane().facts = tab.pane().facts | PaneFact::person_types;
  REQUIRE(tab.comes_true([&] { return tab.pane().times_asked > asked + 4; }));
  const auto sends_key = [](const auto& typed) { return typed.second == "\x03"; };
  CHECK_FALSE(std::ranges::any_of(tab.pane().typed, sends_key));
  tab.pane().facts = PaneFact::others_typed;
  tab.finish(run);
  CHECK(tab.output(run) == "ours\n");
  REQUIRE(run->record().notes.size() == 1);
  CHECK(run->record().notes[0].find("The line was: \"echo half\"") != std::string::npos);

  PtyTab busy("/bin/bash");
  leave_half_typed(busy, "sleep 1000");
  busy.pane().on_ask = [&busy] {  // after our look at the prompt
    busy.pane().on_ask = nullptr;
    busy.pane().write("\r");
    CHECK(test::eventually([&] { return look_at_foreground(busy.tab->pane_pid).name == "sleep"; }));
  };
  const RunPtr refused = busy.begin("echo ours", 1s);
  REQUIRE(busy.comes_true([&] { return busy.failed(refused); }));
  CHECK(look_at_foreground(busy.tab->pane_pid).name == "sleep");
  CHECK_FALSE(std::ranges::any_of(busy.pane().typed, sends_key));
}

TEST_CASE("command clear: an unfinished command, and an editor's other modes, are left too") {
  struct Left {
    const char* shell;
    const char* setting;
    const char* keys;
  };
  const std::vector<Left> all = {
      {"/bin/bash", "true", "echo 'open\r"},     {"/bin/bash", "true", "if true; then\r"},
      {"/bin/bash", "true", "\x12search"},       {"/bin/bash", "set -o vi", "echo x\x1b"},
      {"/bin/zsh", "true", "echo 'open\r"},      {"/bin/zsh", "bindkey -v", "echo x\x1b"},
      {"/bin/dash", "true", "echo 'open\r"},     {"/bin/dash", "true", "cat <<E\rtext\r"},
      {"/usr/bin/fish", "true", "echo 'open\r"}, {"/usr/bin/fish", "true", "if true\r"},
  };
  for (const Left& left : all) {
    CAPTURE(left.shell);
    CAPTURE(left.keys);
    PtyTab tab(left.shell);
    tab.run(left.setting);
    REQUIRE(tab.comes_to_prompt());
    const std::size_t before = tab.log().size();
    tab.pane().press(left.keys);
    REQUIRE(tab.comes_true([&] { return tab.log().size() > before && unread_input(tab.tab->tty) == 0; }));
    const RunPtr run = tab.run("echo ours");
    CHECK(tab.output(run) == "ours\n");
    CHECK(run->record().exit_code == 0);
    CHECK(tab.output(tab.run("echo on")) == "on\n");
  }
}
