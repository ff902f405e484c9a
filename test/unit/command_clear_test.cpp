// What a person has left at the prompt is neither run nor lost when a command of ours comes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "pty_tab.hpp"
#include "system/tty_wait.hpp"
#include "text/ansi.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> kEditors = {"/bin/bash", "/bin/zsh", "/usr/bin/fish"};

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

TEST_CASE("command clear: a half-typed line is not run, and stands at the prompt again after the command") {
  for (const std::string& shell : kEditors) {
    CAPTURE(shell);
    PtyTab tab(shell);
    leave_half_typed(tab, "echo half > half-run");
    const RunPtr run = tab.run("echo ours");
    CHECK(tab.output(run) == "ours\n");
    REQUIRE(run->record().notes.size() == 1);
    CHECK(run->record().notes[0].starts_with("somebody may have typed here since the last command"));
    CHECK(run->record().notes[0].find(
              "The line was: \"echo half > half-run\"; it is put back at the prompt") != std::string::npos);
    CHECK(tab.tab->line_put_back == "echo half > half-run");
    CHECK(tab.pane().typed.back().first == Typed::text_put_back);
    CHECK_FALSE(std::filesystem::exists(tab.home() / "half-run"));
    REQUIRE(tab.comes_to_prompt());
    tab.pane().press("\r");  // it is entered by who typed it
    CHECK(tab.comes_true([&] { return test::content_of(tab.home() / "half-run") == "half\n"; }));
  }
}

TEST_CASE("command clear: a line that was put back and is still there is put back again, and told of so") {
  PtyTab tab("/bin/bash");
  leave_half_typed(tab, "echo kept");
  tab.run("true");
  const RunPtr again = tab.run("true");
  std::string notes;
  for (const std::string& note : again->record().notes) {
    notes += note + "\n";
  }
  CAPTURE(notes);
  CAPTURE(tab.tab->line_put_back);
  REQUIRE(again->record().notes.size() == 1);
  CHECK(again->record().notes[0].starts_with(
      "the line that was put back at the prompt is still there: C-c went first"));
  CHECK(tab.tab->line_put_back == "echo kept");
}

TEST_CASE("command clear: quotes, a tail of a word and what a shell would expand come back as they were") {
  for (const std::string& shell : kEditors) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const std::string line = R"(printf '%s|' 'it is' "$HOME x" \* a\ b)";
    leave_half_typed(tab, line);
    const RunPtr run = tab.run("echo ours");
    CHECK(tab.output(run) == "ours\n");
    REQUIRE(run->record().notes.size() == 1);
    CAPTURE(run->record().notes[0]);
    CHECK(tab.tab->line_put_back == line);
    REQUIRE(tab.comes_to_prompt());
    tab.pane().press(" > written\r");
    const std::string wanted = "it is|" + tab.home().string() + " x|*|a b|";
    CHECK(tab.comes_true([&] { return test::content_of(tab.home() / "written") == wanted; }));
  }
}

TEST_CASE("command clear: at an empty prompt that somebody visited nothing is said and nothing put back") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    tab.run("sh -c 'exit 4'");
    REQUIRE(tab.comes_to_prompt());
    tab.pane().facts = PaneFact::touched;
    const RunPtr run = tab.run(shell == "/usr/bin/fish" ? "echo ours" : "echo ours $?");
    CHECK(run->record().notes.empty());
    CHECK(tab.tab->line_put_back.empty());
    // $? is of our command before, not of our C-c.
    CHECK(tab.output(run) == (shell == "/usr/bin/fish" ? "ours\n" : "ours 4\n"));
    CHECK(tab.pane().typed.back().first == Typed::line);
  }
}

TEST_CASE("command clear: where nothing can put a line back it is told, so that nothing of it is lost") {
  PtyTab tab("/bin/dash");
  leave_half_typed(tab, "echo half > half-run");
  const RunPtr run = tab.run("echo ours");
  CHECK(tab.output(run) == "ours\n");
  REQUIRE(run->record().notes.size() == 1);
  CHECK(run->record().notes[0].find(
            "The line was: \"echo half > half-run\"; it is not put back: tell them") != std::string::npos);
  CHECK(tab.tab->line_put_back.empty());
  CHECK_FALSE(std::filesystem::exists(tab.home() / "half-run"));

  PtyTab person("/bin/dash");
  person.tab->for_person = true;
  leave_half_typed(person, "echo half");
  const RunPtr other = person.run("true");
  REQUIRE(other->record().notes.size() == 1);
  CHECK(other->record().notes[0].ends_with("\"echo half\"; it is not put back"));
}

TEST_CASE("command clear: the line is put back also where the command is not typed after all") {
  for (const std::string& shell : kEditors) {
    for (const bool fails : {false, true}) {
      CAPTURE(shell);
      CAPTURE(fails);
      PtyTab tab(shell);
      leave_half_typed(tab, "echo half > half-run");
      RunPtr run;
      tab.pane().on_type = [&](const std::string& bytes) {
        if (!fails && bytes == "\x03") {
          run->request_end(Reason::cancelled_by_client, false);
        } else if (fails && bytes.size() > 20) {
          throw Error(ErrorCode::io, "no process can be started");
        }
        return std::pair(bytes, true);
      };
      run = tab.begin("echo never > never");
      REQUIRE(tab.comes_true([&] { return fails ? tab.failed(run) : run->has_ended(); }));
      CHECK(run->was_called_off() == !fails);
      CHECK(tab.tab->line_put_back == "echo half > half-run");
      CHECK(tab.pane().typed.back().first == Typed::text_put_back);
      CHECK(tab.tab->runs.empty());
      REQUIRE(tab.comes_to_prompt());
      CHECK_FALSE(std::filesystem::exists(tab.home() / "half-run"));
      tab.pane().press("\r");
      CHECK(tab.comes_true([&] { return test::content_of(tab.home() / "half-run") == "half\n"; }));
      CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
    }
  }
}

TEST_CASE("command clear: where the key that puts the line back is lost, another does") {
  for (const std::string& shell : kEditors) {
    CAPTURE(shell);
    PtyTab tab(shell);
    leave_half_typed(tab, "echo half > half-run");
    int keys = 0;  // the first tells the line
    tab.pane().on_type = [&](const std::string& bytes) {
      keys += bytes.find("[7707~") == std::string::npos ? 0 : 1;
      const bool is_lost = keys == 2 && bytes.find("[7707~") != std::string::npos;
      return std::pair(is_lost ? std::string() : bytes, true);
    };
    CHECK(tab.output(tab.run("echo ours")) == "ours\n");
    CHECK(keys == 3);
    CHECK(tab.tab->line_put_back == "echo half > half-run");
    REQUIRE(tab.comes_to_prompt());
    tab.pane().press("\r");
    CHECK(tab.comes_true([&] { return test::content_of(tab.home() / "half-run") == "half\n"; }));
  }
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
  tab.pane().facts = PaneFact::touched;
  tab.finish(run);
  CHECK(tab.output(run) == "ours\n");
  REQUIRE(run->record().notes.size() == 1);
  CHECK(run->record().notes[0].find("The line was: \"echo half\"") != std::string::npos);

  PtyTab busy("/bin/bash");
  leave_half_typed(busy, "sleep 1000");
  busy.pane().after_typing = [&busy] {  // of the key that asks the editor, which takes its line away
    busy.pane().after_typing = nullptr;
    busy.pane().write("sleep 1000\r");
    CHECK(test::eventually([&] { return look_at_foreground(busy.tab->pane_pid).name == "sleep"; }));
  };
  const RunPtr refused = busy.begin("echo ours", 1s);
  REQUIRE(busy.comes_true([&] { return busy.failed(refused); }));
  CHECK(look_at_foreground(busy.tab->pane_pid).name == "sleep");
  CHECK_FALSE(std::ranges::any_of(busy.pane().typed, sends_key));
}

TEST_CASE("command clear: nobody's line is put over what they type meanwhile") {
  PtyTab tab("/bin/bash");
  leave_half_typed(tab, "echo old");
  tab.pane().on_type = [&](const std::string& bytes) {
    if (bytes.size() > 20) {  // the line of our command: while that runs somebody types
      tab.pane().after_typing = [&tab] {
        tab.pane().after_typing = nullptr;
        tab.pane().press("new");
      };
    }
    return std::pair(bytes, true);
  };
  const RunPtr run = tab.run("echo ours");
  REQUIRE(run->record().notes.size() == 2);
  CHECK(run->record().notes[1] ==
        "the line was not put back after all: somebody typed there, or no prompt came");
  CHECK(tab.tab->line_put_back.empty());
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
