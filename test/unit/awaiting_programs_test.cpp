// Real shells and programs that wait for the keyboard: each is seen, and goes on when it is answered.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "command/awaiting_input.hpp"
#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

using WaitsFor = AwaitingInput::Kind;

/// A command that asks, and what it is answered.
struct Question {
  std::string command;
  WaitsFor kind = WaitsFor::line;
  const char* prompt = nullptr;  ///< where it is known
  std::string printed = "got:anna:\n";
  std::string keys = "anna\r";
};

/// Until it waits for good, at the pace that the manager looks at. What was printed comes to the log a moment
/// later, and is waited for.
void comes_to_wait(PtyTab& tab, const Question& question) {
  SettledInput input;
  std::optional<AwaitingInput> settled;
  auto next_look = Clock::now();
  const bool waits = tab.comes_true([&] {
    if (Clock::now() >= next_look && tab.pane().writer().has_read_all()) {
      settled = input.look(*tab.tab);
      next_look = Clock::now() + 50ms;
    }
    return settled.has_value();
  });
  CAPTURE(tab.log());
  REQUIRE(waits);
  CHECK(settled->kind == question.kind);
  if (question.prompt != nullptr) {
    CHECK(settled->prompt == question.prompt);
  }
}

/// It is seen to wait, answered, and ends with what it read.
void is_asked(PtyTab& tab, const Question& question) {
  CAPTURE(question.command);
  const RunPtr run = tab.start(question.command);
  comes_to_wait(tab, question);
  tab.pane().write(question.keys);
  const CommandRecord& record = tab.finish(run);
  CHECK(record.state == CommandState::completed);
  CHECK(record.exit_code == 0);
  CAPTURE(tab.output(run));
  CHECK(tab.output(run).ends_with(question.printed));
}

void are_asked(const std::string& shell, const std::vector<Question>& all) {
  REQUIRE(::access(shell.c_str(), X_OK) == 0);
  PtyTab tab(shell);
  for (const Question& question : all) {
    is_asked(tab, question);
  }
}

}  // namespace

TEST_CASE("awaiting input: the questions of bash") {
  are_asked("/bin/bash", {{"read x; echo got:$x:", WaitsFor::line, ""},
                          {"read -p 'name? ' x; echo got:$x:", WaitsFor::line, "name?"},
                          {"read -s -p 'Password: ' x; echo got:$x:", WaitsFor::password, "Password:"},
                          {"read -t 60 -p 'soon? ' x; echo got:$x:", WaitsFor::line, "soon?"},
                          {"read -t 60 x; echo got:$x:", WaitsFor::line, ""},
                          {"read -e -p 'edit? ' x; echo got:$x:", WaitsFor::line, "edit?"}});
}

TEST_CASE("awaiting input: the questions of zsh") {
  are_asked("/bin/zsh", {{"read 'x?name? '; echo got:$x:", WaitsFor::line, "name?"},
                         {"read -s 'x?Password: '; echo got:$x:", WaitsFor::password, "Password:"},
                         {"vared -p 'edit? ' -c y; echo got:$y:", WaitsFor::line}});
}

TEST_CASE("awaiting input: the questions of dash") {
  are_asked("/bin/dash", {{"printf 'name? '; read x; echo got:$x:", WaitsFor::line, "name?"},
                          {"stty -echo; printf 'Password: '; read x; stty echo; echo got:$x:",
                           WaitsFor::password, "Password:"}});
}

TEST_CASE("awaiting input: the questions of fish") {
  are_asked("/usr/bin/fish", {{"read -P 'name? ' x; echo got:$x:", WaitsFor::line}});
}

TEST_CASE("awaiting input: programs that read a line") {
  const std::string getpass = "python3 -c \"import getpass; print('got:' + getpass.getpass())\"";
  const std::string readline = "python3 -c \"import readline; print('got:' + input('name? '))\"";
  are_asked("/bin/bash",
            {{"sh -c 'printf \"name? \"; read x; echo got:$x:'", WaitsFor::line, "name?"},
             {"sh -c 'sleep 600 & read x; kill $!; echo got:$x:'", WaitsFor::line, ""},
             {"setsid -w sh -c 'printf \"name? \"; read x; echo got:$x:'", WaitsFor::line, "name?"},
             {"head -n 1", WaitsFor::line, "", "anna\n"},
             {"head -n 1 | sed 's/^/got:/'", WaitsFor::line, "", "got:anna\n"},
             {"python3 -c \"print('got:' + input('name? '))\"", WaitsFor::line, "name?", "got:anna\n"},
             {readline, WaitsFor::line, "name?", "got:anna\n"},
             {getpass, WaitsFor::password, "Password:", "got:anna\n"},
             {"perl -e 'print \"got:\" . <STDIN>'", WaitsFor::line, "", "got:anna\n"}});
}

// The keyboard is one of several things there: a question that was left open tells.
TEST_CASE("awaiting input: a program that polls") {
  const std::string data = "process.stdin.once('data', d => { console.log('got:' + d.toString().trim()); ";
  const std::string line =
      "require('readline').createInterface({input: process.stdin, output: process.stdout})";
  const std::string answer = ".question('name? ', d => { console.log('got:' + d); process.exit(0) })";
  are_asked("/bin/bash", {{"node -e \"process.stdout.write('name? '); " + data + "process.exit(0) })\"",
                           WaitsFor::line, "name?", "got:anna\n"},
                          {"node -e \"" + line + answer + "\"", WaitsFor::program, nullptr, "got:anna\n"}});
}

TEST_CASE("awaiting input: several questions of one command") {
  PtyTab tab;
  const RunPtr run = tab.start("read -p 'Continue? [y/N] ' a; read -s -p 'Password: ' b; echo; echo $a-$b");
  comes_to_wait(tab, {"", WaitsFor::line, "Continue? [y/N]"});
  tab.pane().write("y\r");
  REQUIRE(tab.prints("Password: "));
  comes_to_wait(tab, {"", WaitsFor::password, "Password:"});
  tab.pane().write("hidden words\r");
  tab.finish(run);
  CHECK(tab.output(run) == "Continue? [y/N] y\nPassword: \ny-hidden words\n");
}

// As ssh asks, on /dev/tty.
TEST_CASE("awaiting input: the password of a key") {
  PtyTab tab;
  REQUIRE(tab.run("ssh-keygen -q -t ed25519 -N 'secret words' -f ~/key")->record().exit_code == 0);
  const RunPtr run = tab.start("ssh-keygen -y -f ~/key");
  comes_to_wait(tab, {"", WaitsFor::password});
  tab.pane().write("secret words\r");
  tab.finish(run);
  CHECK(tab.output(run).find("ssh-ed25519") != std::string::npos);
}

TEST_CASE("awaiting input: programs that take keys, and their end by a cancel") {
  const std::vector<Question> all = {
      {"vim -u NONE", WaitsFor::program, ""},
      {"less /usr/share/common-licenses/GPL-3", WaitsFor::program},
      {"top", WaitsFor::program},
      {"python3 -q", WaitsFor::line, ">>>"},
      {"gdb -q -nx", WaitsFor::line, "(gdb)"},
      {"node", WaitsFor::program, ">"},
  };
  PtyTab tab("/bin/bash", {{"TERM", "tmux-256color"}});
  for (const Question& question : all) {
    CAPTURE(question.command);
    const RunPtr run = tab.start(question.command);
    comes_to_wait(tab, question);
    run->request_end(Reason::cancelled_by_client, false);
    tab.finish(run);
    CHECK(tab.output(tab.run("stty sane; echo ok")).ends_with("ok\n"));
  }
}

TEST_CASE("awaiting input: the editor and the pager of git") {
  PtyTab tab("/bin/bash", {{"TERM", "tmux-256color"}, {"EDITOR", "vim -u NONE"}, {"PAGER", "less"}});
  const RunPtr made = tab.run(
      "git init -q r && cd r && git config user.name a && git config user.email a@b && echo a >f && git add "
      "f");
  REQUIRE(made->record().exit_code == 0);
  const RunPtr commit = tab.start("git commit");
  comes_to_wait(tab, {"", WaitsFor::program});
  tab.pane().write("iA message");
  REQUIRE(tab.prints("A message"));
  tab.pane().write("\x1b:wq\r");
  CHECK(tab.finish(commit).exit_code == 0);
  CHECK(tab.output(tab.run("git log --format=%s | cat")) == "A message\n");
  tab.run("seq 1 300 >f; git add f");
  const RunPtr diff = tab.start("git diff --cached");
  comes_to_wait(tab, {"", WaitsFor::program});
  tab.pane().write("q");
  CHECK(tab.finish(diff).state == CommandState::completed);
}
