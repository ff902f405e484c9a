// Which processes of a tab are detached, by what /proc tells of them.
#include "tab/detachment.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "system/terminal.hpp"
#include "tab/tab_processes.hpp"

namespace terminally {
namespace {

constexpr int kPane = 100;
constexpr int kShell = 101;
constexpr int kTerminal = 34'817;
constexpr bool kIgnores = true;

/// A tab: terminally-shell and its shell, and what the test adds.
class PaperTab {
 public:
  explicit PaperTab(int foreground_group = kShell) : foreground_(foreground_group) {
    add(kShell, kPane, kShell);
  }

  /// In the session of the tab.
  void add(int pid, int parent, int group, bool ignores_hangup = false) {
    seen_[pid].info = info(pid, parent, group, kPane, kTerminal);
    seen_[pid].hangup = ignores_hangup ? "ignores SIGHUP" : "";
  }
  void add_in_session(int pid, int parent, int session, int terminal = 0) {
    seen_[pid].info = info(pid, parent, session, session, terminal);
  }
  void ignore_hangup(int pid) { seen_.at(pid).hangup = "ignores SIGHUP"; }
  void remove(int pid) { seen_.erase(pid); }
  void name(int pid, const std::string& name) { seen_.at(pid).info.name = name; }
  [[nodiscard]] const SeenProcesses& seen() const { return seen_; }

  /// The first look: as now.
  [[nodiscard]] Detachment look() const { return {{info(kPane, 1, kPane, kPane, kTerminal)}, seen_}; }
  [[nodiscard]] std::string why(const Detachment& detachment, int pid) const {
    return detachment.why(seen_.at(pid), seen_);
  }
  [[nodiscard]] std::string why(int pid) const { return why(look(), pid); }

 private:
  [[nodiscard]] ProcessInfo info(int pid, int parent, int group, int session, int terminal) const {
    ProcessInfo process;
    process.pid = pid;
    process.parent = parent;
    process.group = group;
    process.session = session;
    process.terminal = static_cast<dev_t>(terminal);
    process.foreground_group = terminal == kTerminal ? foreground_ : -1;
    return process;
  }

  int foreground_;
  SeenProcesses seen_;
};

}  // namespace

TEST_CASE("C8: who ignores SIGHUP, or has a session of its own, is detached; a job is not") {
  PaperTab tab;
  tab.add(110, kShell, 110);            // sleep &
  tab.add(111, 1, 110);                 // (sleep &)
  tab.add(120, kShell, 120, kIgnores);  // nohup sleep &
  tab.add(121, 1, 121, kIgnores);       // (nohup sleep &)
  tab.add_in_session(130, kShell, 130);
  tab.add_in_session(131, 1, 130);  // a daemon: the leader of its session has ended
  CHECK(tab.why(kShell).empty());
  CHECK(tab.why(110).empty());
  CHECK(tab.why(111).empty());
  CHECK(tab.why(120) == "ignores SIGHUP");
  CHECK(tab.why(121) == "ignores SIGHUP");
  CHECK(tab.why(130) == "a session of its own");
  CHECK(tab.why(131) == "a session of its own");
}

TEST_CASE("C8: what a detached process starts is detached with it") {
  PaperTab tab;
  tab.add(120, kShell, 120, kIgnores);
  tab.add(121, 120, 120);  // has set SIGHUP back
  tab.add(122, 121, 120);
  tab.add(123, 121, 120, kIgnores);
  CHECK(tab.why(121) == "started by pid 120: ignores SIGHUP");
  CHECK(tab.why(122) == "started by pid 120: ignores SIGHUP");
  CHECK(tab.why(123) == "ignores SIGHUP");
  tab.add(124, 125, 120);  // no parent above, or a circle: numbers that came again
  tab.add(125, 124, 120);
  CHECK(tab.why(124).empty());
}

TEST_CASE("C8: what the tab's shell waits for is not detached, however it takes SIGHUP") {
  PaperTab tab(140);
  tab.add(140, kShell, 140, kIgnores);  // nohup sh script, in the foreground
  tab.add(141, 140, 140, kIgnores);     // what the script runs
  tab.add(150, kShell, 150, kIgnores);  // nohup of before, in the background
  const Detachment first = tab.look();
  CHECK(tab.why(first, 140).empty());
  CHECK(tab.why(first, 141).empty());
  CHECK(tab.why(first, 150) == "ignores SIGHUP");
  tab.remove(140);
  tab.add(141, 1, 140, kIgnores);
  CHECK(tab.why(first, 141).empty());  // its parent was killed first

  PaperTab script(160);
  script.add(160, kShell, 160);         // sh -c 'nohup sleep & sleep'
  script.add(161, 160, 160, kIgnores);  // the first
  script.add(162, 160, 160);            // the second
  script.add(163, 1, 160, kIgnores);    // (nohup sleep &) in it
  CHECK(script.why(160).empty());
  CHECK(script.why(161) == "ignores SIGHUP");
  CHECK(script.why(162).empty());
  CHECK(script.why(163) == "ignores SIGHUP");
}

TEST_CASE("C8: a shell that ignores SIGHUP is the tab's all the same, also around another one") {
  PaperTab tab(170);
  tab.add(kShell, kPane, kShell, kIgnores);  // trap '' HUP
  tab.add(165, kShell, 165, kIgnores);       // a shell in it
  tab.add(170, 165, 170, kIgnores);          // what that waits for
  tab.add(171, 165, 171, kIgnores);          // its job
  CHECK(tab.why(kShell).empty());
  CHECK(tab.why(165).empty());
  CHECK(tab.why(170).empty());
  CHECK(tab.why(171) == "ignores SIGHUP");

  PaperTab no_jobs;  // set +m: all are in the shell's group
  no_jobs.add(180, kShell, kShell, kIgnores);
  no_jobs.add(181, kShell, kShell);
  CHECK(no_jobs.why(180) == "ignores SIGHUP");
  CHECK(no_jobs.why(181).empty());
}

TEST_CASE("C8: who takes the tab's own terminal is in the tab; a shell behind su has a session of its own") {
  PaperTab tab;
  tab.add_in_session(190, kShell, 190, kTerminal);  // setsid -c
  CHECK(tab.why(190).empty());

  PaperTab behind;
  behind.add_in_session(200, 150, 200, 34'818);  // the shell that su opened, with a terminal of its own
  behind.add_in_session(201, 200, 200, 34'818);  // its job
  behind.add_in_session(202, 200, 202);
  CHECK(behind.why(201) == "a session of its own");
  ProcessInfo pane;
  pane.pid = pane.session = kPane;
  ProcessInfo shell;
  shell.pid = shell.session = shell.group = 200;
  shell.terminal = 34'818;
  const Detachment of_a_command({pane, shell}, {});  // that was typed there
  CHECK(behind.why(of_a_command, 201).empty());
  CHECK(behind.why(of_a_command, 202) == "a session of its own");
}

TEST_CASE("C8: a session that a program in front waits for is in front, too, with what runs in it") {
  PaperTab tab(140);
  tab.add(140, kShell, 140);  // su -c 'sleep 9; true'
  tab.name(140, "su");
  tab.add_in_session(141, 140, 141);
  tab.add_in_session(142, 141, 141);
  tab.add_in_session(143, 142, 141);  // nohup sleep &
  tab.ignore_hangup(143);
  tab.add_in_session(144, 141, 144);  // setsid -f
  tab.add(150, kShell, 150);          // su -c, in the background
  tab.name(150, "su");
  tab.add_in_session(151, 150, 151);
  const Detachment first = tab.look();
  CHECK(tab.why(first, 141).empty());
  CHECK(tab.why(first, 142).empty());
  CHECK(tab.why(first, 143) == "ignores SIGHUP");
  CHECK(tab.why(first, 144) == "a session of its own");
  CHECK(tab.why(first, 151) == "a session of its own");

  PaperTab after;  // that su has ended, and the shell is back
  after.add_in_session(142, 1, 141);
  after.add_in_session(143, 1, 141);
  after.ignore_hangup(143);
  CHECK(after.why(142) == "a session of its own");
  const Detachment knows({}, after.seen(), first.sessions_in_front());
  CHECK(after.why(knows, 142).empty());
  CHECK(after.why(knows, 143) == "ignores SIGHUP");
}

TEST_CASE("C8: a terminal of its own makes a session one that is waited for, whoever made it") {
  PaperTab tab(140);
  tab.add(140, kShell, 140, kIgnores);  // nohup python3, which spawns in a pty
  tab.add_in_session(141, 140, 141, kTerminal + 1);
  tab.ignore_hangup(141);             // has inherited it
  tab.add_in_session(142, 140, 142);  // one that it detached
  CHECK(tab.why(141).empty());
  CHECK(tab.why(142) == "a session of its own");

  PaperTab script(160);
  script.add(160, kShell, 160);
  script.add(161, 160, 160, kIgnores);  // nohup script & in a script
  script.name(161, "script");
  script.add_in_session(162, 161, 162, kTerminal + 1);
  CHECK(script.why(162) == "a session of its own");
}

TEST_CASE(
    "S4: who took the tab's terminal stays the tab's when the terminal is gone, deaf to SIGHUP or not") {
  PaperTab tab;
  tab.add_in_session(140, 1, 140, kTerminal);
  tab.ignore_hangup(140);
  const Detachment detachment = tab.look();
  tab.add_in_session(140, 1, 140);  // the pane is closed
  tab.ignore_hangup(140);
  tab.add_in_session(141, 140, 140);  // and it goes on
  tab.ignore_hangup(141);
  tab.add_in_session(150, 140, 150);
  CHECK(tab.why(detachment, 140).empty());
  CHECK(tab.why(detachment, 141).empty());
  CHECK(tab.why(detachment, 150) == "a session of its own");
  CHECK(tab.why(140) == "a session of its own");
}

TEST_CASE("C8: /proc tells who ignores SIGHUP, and which terminal is whose") {
  int terminal = -1;
  char name[64] = {};
  const pid_t child = ::forkpty(&terminal, name, nullptr, nullptr);
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    (void)!::write(STDOUT_FILENO, "x", 1);
    ::pause();
    ::_exit(0);
  }
  char ready = 0;
  REQUIRE(::read(terminal, &ready, 1) == 1);
  CHECK(outlives_hangup(child) == "ignores SIGHUP");
  CHECK(outlives_hangup(::getpid()).empty());
  CHECK(process_info(child)->terminal == terminal_device(name));
  CHECK(terminal_device(name) != 0);
  CHECK(terminal_device("/nowhere") == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(terminal);

  for (const auto& [flags, why] : {std::pair(O_WRONLY, "started by nohup"), std::pair(O_RDONLY, "")}) {
    int told[2];
    REQUIRE(::pipe(told) == 0);
    const pid_t reads_nothing = ::fork();
    if (reads_nothing == 0) {  // as node, which has set SIGHUP back
      ::dup2(::open("/dev/null", flags), STDIN_FILENO);
      (void)!::write(told[1], "x", 1);
      ::pause();
      ::_exit(0);
    }
    REQUIRE(::read(told[0], &ready, 1) == 1);
    CHECK(outlives_hangup(reads_nothing) == why);
    ::kill(reads_nothing, SIGKILL);
    ::waitpid(reads_nothing, nullptr, 0);
    ::close(told[0]);
    ::close(told[1]);
  }
}

}  // namespace terminally
