// How a command in a real shell is ended: by us, by another process of ours, by a person.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

bool runs_in_foreground(PtyTab& tab, const std::string& name) {
  return tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == name; });
}

/// The line that was typed has the words, too, and is shown before it runs.
bool has_printed(PtyTab& tab, const RunPtr& run, const std::string& text) {
  return tab.comes_true([&] { return tab.output(run).find(text) != std::string::npos; });
}

void check_cancelled(const RunPtr& run, Reason reason, std::optional<int> exit_code) {
  CHECK(run->record().state == CommandState::cancelled);
  CHECK(run->record().reason == reason);
  CHECK(run->record().exit_code == exit_code);
  CHECK(run->record().timed_out == (reason == Reason::timeout));
}

/// Not yet what is still `setsid` or `nohup`, and will be one.
std::vector<int> sleepers(const PtyTab& tab, const std::string& seconds) {
  std::vector<int> found;
  for (const int pid : all_pids()) {
    if (process_arguments(pid) == std::vector<std::string>{"sleep", seconds} &&
        process_has_environment(pid, tab.tab->cookie)) {
      found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("command force: a shell's process that is yet to hear SIGTERM is told from what ignores it") {
  std::vector<std::string> shells = test::shells_here();
  REQUIRE(::access("/bin/mksh", X_OK) == 0);
  shells.emplace_back("/bin/mksh");
  for (const std::string& shell : shells) {
    if (shell.ends_with("fish")) {
      continue;  // has no subshells
    }
    const std::string other = shell.ends_with("dash") ? "bash" : "dash";
    const bool catches = shell.ends_with("mksh");  // where the others ignore it, and so do its subshells
    for (const auto& [text, deaf] : {
             std::pair{std::string("(trap '' TERM; echo begun; read x; true)"), true},
             std::pair{std::string("(trap : TERM; echo begun; read x; true)"), catches},
             std::pair{std::string("(echo begun; read x; true)"), catches},
             std::pair{shell + " -c 'trap : TERM; echo begun; read x; true'", false},
             std::pair{other + " -c \"trap '' TERM; echo begun; read x; true\"", false},
         }) {
      CAPTURE(shell);
      CAPTURE(text);
      PtyTab tab(shell);
      const RunPtr run = tab.start(text);
      REQUIRE(has_printed(tab, run, "begun"));
      const Foreground front = look_at_foreground(tab.tab->pane_pid);
      REQUIRE(front.pid != tab.shell_pid());
      const bool seen = ignores_sigterm_before_exec(front);
      const auto begun = process_info(front.pid)->start_ticks;
      if (ticks_since_boot() < begun + 90) {  // else the machine stood still
        CHECK(seen == deaf);
      }
      CHECK(tab.comes_true([&] { return !ignores_sigterm_before_exec(front); }));
      run->request_end(Reason::cancelled_by_client, true);
      tab.finish(run);
    }
  }
}

TEST_CASE("command force: a cancel is a C-c first, and the shell lives on") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const int shell_pid = tab.shell_pid();
    const RunPtr run = tab.start("echo begun; sleep 1000");
    REQUIRE(runs_in_foreground(tab, "sleep"));
    CHECK_FALSE(run->is_interrupted());
    run->request_end(Reason::cancelled_by_client, false);
    CHECK(run->is_interrupted());
    tab.finish(run);
    check_cancelled(run, Reason::cancelled_by_client, 130);
    CHECK(tab.output(run).starts_with("begun\n"));
    CHECK(tab.pane().typed.at(1) == std::pair(TypedAs::key, std::string("\x03")));
    for (const Survivor& survivor : run->record().survivors) {
      CHECK_MESSAGE(false, survivor.pid << " " << survivor.command);
    }
    CHECK(tab.shell_pid() == shell_pid);
    CHECK(tab.output(tab.run("echo on")) == "on\n");
  }
}

TEST_CASE("command force: what is deaf to C-c gets SIGTERM, and with force SIGKILL at once") {
  PtyTab tab;
  const RunPtr deaf = tab.start("sh -c 'trap \"\" INT; echo ready; exec sleep 1000'");
  REQUIRE(tab.prints("ready"));
  REQUIRE(runs_in_foreground(tab, "sleep"));
  deaf->request_end(Reason::cancelled_by_client, false);
  tab.finish(deaf);
  check_cancelled(deaf, Reason::cancelled_by_client, 128 + SIGTERM);

  const RunPtr deafer = tab.start("sh -c 'trap \"\" INT TERM; echo still; exec sleep 1001'");
  REQUIRE(tab.prints("still"));
  REQUIRE(runs_in_foreground(tab, "sleep"));
  const std::size_t typed = tab.pane().typed.size();
  deafer->request_end(Reason::cancelled_by_client, true);
  tab.finish(deafer);
  check_cancelled(deafer, Reason::cancelled_by_client, 128 + SIGKILL);
  CHECK(tab.pane().typed.size() == typed);  // no C-c
}

TEST_CASE("command force: a deadline ends it, is on record, and may be taken back") {
  PtyTab tab;
  REQUIRE(tab.comes_to_prompt());
  const RunPtr late = tab.start("sleep 1000", 15s, 500ms);
  CHECK(tab.tab->records.latest()->deadline_steady_ms != 0);
  tab.finish(late);
  check_cancelled(late, Reason::timeout, 130);

  const RunPtr spared = tab.start("cat", 15s, 60s);
  CHECK(tab.tab->records.latest()->deadline_steady_ms > steady_ms(Clock::now() + 30s));
  spared->set_deadline(Clock::time_point::max());
  CHECK(tab.tab->records.latest()->deadline_steady_ms == 0);
  REQUIRE(runs_in_foreground(tab, "cat"));
  spared->set_deadline(Clock::now());  // and is kept when it is set while it runs
  tab.finish(spared);
  check_cancelled(spared, Reason::timeout, 130);
}

TEST_CASE("command force: a C-c of a person is theirs, one of nobody is the program's own end") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const RunPtr theirs = tab.start("sleep 1000");
    REQUIRE(runs_in_foreground(tab, "sleep"));
    tab.pane().press("\x03");
    tab.finish(theirs);
    check_cancelled(theirs, Reason::interrupted_in_tab, 130);
    CHECK_FALSE(theirs->is_interrupted());

    const RunPtr own = tab.run("sh -c 'exit 130'");
    CHECK(own->record().state == CommandState::completed);
    CHECK(own->record().reason == Reason::none);
    CHECK(own->record().exit_code == 130);
  }
}

TEST_CASE("C8: what a cancelled command left behind ends, but for what was detached and for older jobs") {
  PtyTab tab;
  tab.run("sleep 2001 &");
  const RunPtr run = tab.start(
      "(setsid sleep 2002 </dev/null >/dev/null 2>&1 &); sleep 2003 & nohup sleep 2005 >/dev/null 2>&1 & "
      "sleep 2004");
  REQUIRE(tab.comes_true([&] {
    return std::ranges::all_of(std::array{"2002", "2003", "2004", "2005"},
                               [&](const char* mark) { return sleepers(tab, mark).size() == 1; });
  }));
  run->request_end(Reason::cancelled_by_client, false);
  tab.finish(run);
  check_cancelled(run, Reason::cancelled_by_client, 130);
  CHECK(sleepers(tab, "2003").empty());
  CHECK(sleepers(tab, "2004").empty());
  CHECK(sleepers(tab, "2001").size() == 1);
  std::map<std::string, std::string> left;
  for (const Survivor& survivor : run->record().survivors) {
    left[survivor.command] = survivor.why;
    ::kill(survivor.pid, SIGKILL);
  }
  CHECK(left == std::map<std::string, std::string>{{"sleep 2002", "a session of its own"},
                                                   {"sleep 2005", "ignores SIGHUP"}});
  CHECK(tab.tab->records.find(run->record().id)->survivors.size() == 2);  // a later server tells them, too
}

TEST_CASE("C8: what a script in the foreground has detached is spared by the signals to its group") {
  PtyTab tab;
  const RunPtr run = tab.start(
      "sh -c 'trap \"\" INT; nohup sleep 2021 >/dev/null 2>&1 & (nohup sleep 2022 >/dev/null 2>&1 &); sleep "
      "2023; "
      "sleep 2024'");
  REQUIRE(tab.comes_true([&] {
    return std::ranges::all_of(std::array{"2021", "2022", "2023"},
                               [&](const char* mark) { return sleepers(tab, mark).size() == 1; });
  }));
  run->request_end(Reason::cancelled_by_client, false);
  tab.finish(run);
  CHECK(run->record().state == CommandState::cancelled);
  CHECK(sleepers(tab, "2023").empty());
  CHECK(sleepers(tab, "2024").empty());
  CHECK(run->record().survivors.size() == 2);
  for (const Survivor& survivor : run->record().survivors) {
    CHECK(survivor.why == "ignores SIGHUP");
    ::kill(survivor.pid, SIGKILL);
  }
}

TEST_CASE("C8: one signal ends what has the foreground, and nothing behind it") {
  PtyTab tab;
  const RunPtr run = tab.start("sleep 2013 & nohup sleep 2015 >/dev/null 2>&1 & sleep 2014");
  REQUIRE(tab.comes_true([&] {
    return sleepers(tab, "2013").size() == 1 && sleepers(tab, "2015").size() == 1 &&
           sleepers(tab, "2014").size() == 1;
  }));
  tab.result_of(run->signal_once(StopSignal::interrupt));
  tab.finish(run);
  check_cancelled(run, Reason::cancelled_by_client, 130);
  CHECK(sleepers(tab, "2014").empty());
  CHECK(sleepers(tab, "2013").size() == 1);
  CHECK(sleepers(tab, "2015").size() == 1);
  std::map<std::string, std::string> left;
  for (const Survivor& survivor : run->record().survivors) {
    left[survivor.command] = survivor.why;
    ::kill(survivor.pid, SIGKILL);
  }
  CHECK(left == std::map<std::string, std::string>{{"sleep 2013", "in the background"},
                                                   {"sleep 2015", "ignores SIGHUP"}});
}

TEST_CASE("command force: one signal is one signal, and whatever ends it then was ours") {
  PtyTab tab;
  const RunPtr run = tab.start("sleep 1000");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  tab.result_of(run->signal_once(StopSignal::terminate));
  CHECK(tab.tab->records.find(run->record().id)->signalled);
  tab.finish(run);
  check_cancelled(run, Reason::cancelled_by_client, 128 + SIGTERM);

  const RunPtr deaf = tab.start("sh -c 'trap \"echo heard\" INT; echo ready; while :; do sleep 0.05; done'");
  REQUIRE(has_printed(tab, deaf, "ready"));
  REQUIRE(runs_in_foreground(tab, "sh"));
  tab.result_of(deaf->signal_once(StopSignal::interrupt));
  REQUIRE(has_printed(tab, deaf, "heard"));
  CHECK_FALSE(deaf->has_ended());
  tab.result_of(deaf->signal_once(StopSignal::terminate));
  tab.finish(deaf);
  check_cancelled(deaf, Reason::cancelled_by_client, 128 + SIGTERM);
}

TEST_CASE("command force: where the pane does not carry the C-c, the signal goes in its place") {
  for (const bool throws : {false, true}) {
    CAPTURE(throws);
    PtyTab tab;
    const RunPtr run = tab.start("sleep 1000");
    REQUIRE(runs_in_foreground(tab, "sleep"));
    tab.pane().on_type = [throws](const std::string&) -> std::pair<std::string, bool> {
      if (throws) {
        throw Error(ErrorCode::tmux_timeout, "tmux did not answer");
      }
      return {"", false};
    };
    run->request_end(Reason::cancelled_by_client, false);
    tab.finish(run);
    check_cancelled(run, Reason::cancelled_by_client, 130);
  }
}

TEST_CASE(
    "command force: another process of ours may cancel it, by force or not, or say that it signalled it") {
  PtyTab tab;
  const RunPtr asked = tab.start("sleep 1000");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  tab.tab->files.mark_cancelled(asked->record().nonce);
  tab.finish(asked);
  check_cancelled(asked, Reason::cancelled_by_client, 130);

  const RunPtr forced = tab.start("sleep 1001");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  tab.tab->files.mark_cancelled(forced->record().nonce, true);
  tab.finish(forced);
  check_cancelled(forced, Reason::cancelled_by_client, 128 + SIGKILL);

  const RunPtr signalled = tab.start("sleep 1002");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  tab.tab->files.mark_signalled(signalled->record().nonce);
  REQUIRE(tab.comes_true([&] { return signalled->is_interrupted(); }));
  CHECK_FALSE(signalled->has_ended());
  ::kill(look_at_foreground(tab.tab->pane_pid).pid, SIGHUP);
  tab.finish(signalled);
  check_cancelled(signalled, Reason::cancelled_by_client, 128 + SIGHUP);
}

TEST_CASE("command force: another process of ours may signal it, then cancel it, and then by force") {
  PtyTab tab;
  const RunPtr run = tab.start("sh -c \"trap '' INT TERM; exec sleep 1000\"");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  const std::string nonce = run->record().nonce;
  tab.tab->files.mark_signalled(nonce);
  REQUIRE(tab.comes_true([&] { return run->is_interrupted(); }));
  tab.tab->files.mark_cancelled(nonce, false);
  REQUIRE(tab.comes_true([&] { return tab.log().find("^C") != std::string::npos; }));
  const auto forced = Clock::now();
  tab.tab->files.mark_cancelled(nonce, true);
  tab.tab->files.mark_cancelled(nonce, false);  // by who comes late: the force stays
  tab.finish(run);
  CHECK(Clock::now() - forced < 3s);  // without force it is killed after 5
  check_cancelled(run, Reason::cancelled_by_client, 128 + SIGKILL);
}

TEST_CASE("command force: what a person stopped is named, and has not ended") {
  PtyTab tab;
  const RunPtr run = tab.start("sleep 1000");
  REQUIRE(runs_in_foreground(tab, "sleep"));
  tab.pane().press("\x1a");
  tab.finish(run);
  CHECK(run->record().state == CommandState::completed);
  CHECK(run->record().exit_code == 128 + SIGTSTP);
  REQUIRE(run->record().notes.size() == 1);
  CHECK(run->record().notes[0].starts_with("stopped (C-z), not ended: pid "));
  CHECK(run->record().notes[0].find("(sleep 1000)") != std::string::npos);
}

TEST_CASE("command force: in a loop of the shell's own the text is abandoned, not one step of it") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    const bool fish = shell == "/usr/bin/fish";
    const RunPtr run = tab.start(fish ? "while true; echo step; sleep 0.01; end; echo behind"
                                      : "while true; do echo step; sleep 0.01; done; echo behind");
    REQUIRE(has_printed(tab, run, "step"));
    run->request_end(Reason::cancelled_by_client, false);
    tab.finish(run);
    CHECK(run->record().state == CommandState::cancelled);
    CHECK(run->record().reason == Reason::cancelled_by_client);
    CHECK(tab.output(run).find("behind") == std::string::npos);
    CHECK(tab.output(tab.run("echo on")) == "on\n");
  }
}

TEST_CASE("command force: a shell that would die of SIGTERM, as one that is only starting, gets none") {
  PtyTab tab("/bin/zsh");  // which ignores it until its trap is taken back
  const RunPtr run = tab.start("trap - TERM; echo begun; read x");
  REQUIRE(has_printed(tab, run, "begun"));
  const int shell = look_at_foreground(tab.tab->pane_pid).pid;
  const SignalMasks its = signal_masks(shell);
  REQUIRE_FALSE(is_in(its.ignored | its.caught, SIGTERM));
  tab.result_of(run->signal_once(StopSignal::terminate));
  tab.pane().write("word\n");
  tab.finish(run);
  CHECK(run->record().exit_code == 0);
  CHECK(is_alive(shell));
}
