// Shells that a command opens: the next command runs in them, and their ends tell of what ran there.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

/// A command that opens a shell, once that is at its prompt.
RunPtr open_shell(PtyTab& tab, const std::string& text) {
  RunPtr run = tab.start(text);
  const bool waits = tab.comes_true([&run] { return run->shells().one_waits(); });
  CAPTURE(tab.log());
  CAPTURE(look_at_foreground(tab.tab->pane_pid).name);
  REQUIRE(waits);
  return run;
}

}  // namespace

TEST_CASE(
    "command nested: a shell in a shell runs the next command, and its exit ends the one that opened it") {
  struct Opened {
    std::string outer;
    std::string text;
  };
  const std::vector<Opened> all = {{"/bin/bash", "bash"},        {"/bin/bash", "zsh -f"},
                                   {"/bin/dash", "bash --norc"}, {"/bin/zsh", "dash"},
                                   {"/usr/bin/fish", "bash"},    {"/bin/bash", "fish --no-config"}};
  for (const Opened& opened : all) {
    CAPTURE(opened.outer);
    CAPTURE(opened.text);
    PtyTab tab(opened.outer);
    const RunPtr outer = open_shell(tab, opened.text);
    CHECK_FALSE(outer->has_ended());
    CHECK(outer->shells().opened_one());
    const RunPtr inner = tab.run("echo inside; sh -c 'exit 3'");
    CHECK(tab.output(inner) == "inside\n");
    CHECK(inner->record().exit_code == 3);
    CHECK(inner->record().shell_pid != outer->record().shell_pid);
    CHECK_FALSE(outer->has_ended());
    CHECK(tab.tab->files.running_nonce() == outer->record().nonce);
    CHECK(tab.tab->command_lock);

    const RunPtr leaves = tab.start("exit 5");
    tab.finish(leaves);
    tab.finish(outer);
    CHECK(outer->record().state == CommandState::completed);
    CHECK(outer->record().exit_code == 5);
    CHECK(leaves->record().state == CommandState::completed);
    CHECK(leaves->record().reason == Reason::shell_exited);
    CHECK(leaves->record().exit_code == 5);
    CHECK(tab.tab->runs.empty());
    CHECK_FALSE(tab.tab->command_lock);
    CHECK(tab.output(tab.run("echo outside")) == "outside\n");
  }
}

TEST_CASE("command nested: a shell that takes the place of its own is a nested one") {
  PtyTab tab("/bin/bash");
  const RunPtr outer = open_shell(tab, "exec bash --norc");
  const RunPtr inner = tab.run("echo instead");
  CHECK(tab.output(inner) == "instead\n");
  CHECK(inner->record().shell_pid == outer->record().shell_pid);
  CHECK_FALSE(outer->has_ended());
  const RunPtr leaves = tab.start("exit 6");
  tab.finish(leaves);
  tab.finish(outer);
  CHECK(outer->record().exit_code == 6);
  CHECK(outer->record().reason == Reason::shell_exited);
  CHECK(tab.output(tab.run("echo on")) == "on\n");
}

TEST_CASE("command nested: a program at its own prompt is no shell, and what it opens in passing neither") {
  PtyTab tab("/bin/bash");
  for (const std::string& text : std::vector<std::string>{"cat", "sh -c 'read x'", "bash -c 'cat'"}) {
    CAPTURE(text);
    const RunPtr run = tab.start(text);
    REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name != "bash"; }));
    const auto looked = Clock::now();
    bool nested = false;
    REQUIRE(tab.comes_true([&] {  // a prompt counts when it is shown for a while
      nested = nested || run->shells().one_waits();
      return Clock::now() - looked > 200ms;
    }));
    CHECK_FALSE(nested);
    CHECK_FALSE(run->shells().one_may_wait());
    CHECK_FALSE(run->shells().opened(look_at_foreground(tab.tab->pane_pid)));
    run->request_end(Reason::cancelled_by_client, true);
    tab.finish(run);
  }
}

TEST_CASE("command nested: the end of the outer command ends what runs inside, and says by what") {
  PtyTab tab("/bin/bash");
  const RunPtr outer = open_shell(tab, "bash --norc; echo behind");
  const RunPtr inner = tab.start("sleep 1000");
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "sleep"; }));
  ::kill(inner->record().shell_pid, SIGKILL);
  tab.finish(outer);
  CHECK(inner->has_ended());
  CHECK(inner->record().state == CommandState::failed);
  CHECK(inner->record().reason == Reason::shell_exited);
  CHECK_FALSE(inner->record().exit_code);
  REQUIRE_FALSE(inner->record().notes.empty());
  CHECK(inner->record().notes.back() ==
        "the shell that it ran in is gone: the next command in this tab runs in the shell around it");
  CHECK(inner->record().end_byte <= outer->record().end_byte);
  CHECK(tab.output(outer).find("behind") != std::string::npos);
  CHECK(outer->record().exit_code == 0);
}

TEST_CASE("command nested: cancelling the command that opened a shell ends the shell and what runs in it") {
  PtyTab tab("/bin/bash");
  const RunPtr outer = open_shell(tab, "bash --norc");
  const RunPtr inner = tab.start("sleep 1000");
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "sleep"; }));
  const int shell_pid = tab.shell_pid();
  outer->request_end(Reason::cancelled_by_client, true);
  tab.finish(outer);
  CHECK(outer->record().state == CommandState::cancelled);
  CHECK(outer->record().reason == Reason::cancelled_by_client);
  CHECK(inner->has_ended());
  CHECK(inner->record().state != CommandState::running);
  CHECK(inner->record().exit_code.value_or(128 + SIGKILL) == 128 + SIGKILL);
  CHECK(tab.shell_pid() == shell_pid);
  CHECK(tab.output(tab.run("echo on")) == "on\n");
}

TEST_CASE("command nested: one that is cancelled ends what was begun in the shell that it opened, too (V6)") {
  PtyTab tab("/bin/bash");
  const auto pid_in = [&tab](const std::string& name) {
    return std::stoi(test::content_of(tab.home() / name));
  };
  tab.run("(sleep 1001 & echo $! > ~/older)");  // of a command before, which nobody cancels
  const RunPtr outer = open_shell(tab, "bash --norc");
  tab.run("(sleep 1002 & echo $! > ~/inner)");  // its parent is gone
  const int older = pid_in("older");
  const int inner = pid_in("inner");
  REQUIRE(is_alive(inner));
  outer->request_end(Reason::cancelled_by_client, true);
  tab.finish(outer);
  CHECK(tab.comes_true([&] { return !is_alive(inner); }));
  CHECK(is_alive(older));
  ::kill(older, SIGKILL);
}
