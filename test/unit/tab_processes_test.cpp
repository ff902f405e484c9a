#include "tab/tab_processes.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/timeout.hpp"

namespace terminally {
namespace {

const ProcessTag kTab = tab_tag("instance.0123", 1, 3);
const ProcessTag kEarlier = command_tag(kTab, "earlier");
const ProcessTag kThis = command_tag(kTab, "this");

constexpr int kPane = 100;
constexpr int kShell = 101;
constexpr std::uint64_t kTyped = 5'000;

CommandMarks command() {
  CommandMarks marks;
  marks.tags = {kThis};
  marks.pane = ProcessId{kPane, 1'000};
  marks.shell_pid = kShell;
  marks.started_ticks = kTyped;
  marks.older_jobs = {150};
  return marks;
}

SeenProcess process(int pid, int parent, std::uint64_t start, std::optional<ProcessTag> tag = std::nullopt) {
  SeenProcess seen;
  seen.info.pid = pid;
  seen.info.parent = parent;
  seen.info.start_ticks = start;
  seen.tag = tag;
  return seen;
}

Whose of(int pid, const SeenProcesses& all) {
  return whose(all.at(pid), all, command());
}

pid_t start_child() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::pause();
    ::_exit(0);
  }
  return pid;
}

/// A session with a terminal, as tmux makes it for a pane: its leader, a group that has the foreground, and
/// one that has not.
struct PaneSession {
  PaneSession() {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    leader = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (leader == 0) {
      pid_t groups[2];
      for (pid_t& group : groups) {
        group = ::fork();
        if (group == 0) {
          ::pause();
          ::_exit(0);
        }
        ::setpgid(group, group);
      }
      ::tcsetpgrp(STDIN_FILENO, groups[0]);
      (void)!::write(ready[1], groups, sizeof groups);
      // When what has the foreground is gone, it takes that itself, as terminally-shell does.
      ::signal(SIGTTOU, SIG_IGN);
      ::waitpid(groups[0], nullptr, 0);
      ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
      ::pause();
      ::_exit(0);
    }
    pid_t groups[2] = {};
    REQUIRE(::read(ready[0], groups, sizeof groups) == sizeof groups);
    foreground = groups[0];
    background = groups[1];
    ::close(ready[0]);
    ::close(ready[1]);
  }

  ~PaneSession() {
    for (const pid_t pid : {foreground, background, leader}) {
      ::kill(pid, SIGKILL);
    }
    ::waitpid(leader, nullptr, 0);
    ::close(terminal);
  }

  PaneSession(const PaneSession&) = delete;
  PaneSession& operator=(const PaneSession&) = delete;

  int terminal = -1;
  pid_t leader = 0;
  pid_t foreground = 0;
  pid_t background = 0;
};

int end_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("D6: a process belongs to the command whose tag it inherited, whatever started it") {
  SeenProcesses all;
  all[kShell] = process(kShell, kPane, 1'001, kThis);
  all[150] = process(150, kShell, kTyped, kEarlier);
  all[160] = process(160, 150, kTyped + 9, kEarlier);  // a job's new child
  all[161] = process(161, 1, kTyped + 9, kEarlier);    // the same, its parent gone
  all[162] = process(162, 150, kTyped, kEarlier);
  all[170] = process(170, kShell, kTyped + 1, kThis);
  all[171] = process(171, 1, kTyped + 1, kThis);
  all[180] = process(180, 1, kTyped - 1, kEarlier);
  for (const int older : {kShell, 150, 160, 161, 162, 180}) {
    CHECK(of(older, all) == Whose::older);
  }
  CHECK(of(170, all) == Whose::command);
  CHECK(of(171, all) == Whose::command);
}

TEST_CASE("D6: without a tag its ancestors tell, and where they are gone nobody knows") {
  SeenProcesses all;
  all[kShell] = process(kShell, kPane, 1'001);
  all[150] = process(150, kShell, kTyped);
  all[160] = process(160, 150, kTyped + 9);
  all[170] = process(170, kShell, kTyped + 1);
  all[171] = process(171, 170, kTyped + 2);
  all[172] = process(172, 1, kTyped + 2);
  all[173] = process(173, 172, kTyped + 3);
  all[191] = process(191, kShell, kTyped - 1, kThis);  // from before, whatever its tag says
  CHECK(of(150, all) == Whose::older);
  CHECK(of(191, all) == Whose::older);
  CHECK(of(160, all) == Whose::older);
  CHECK(of(170, all) == Whose::command);
  CHECK(of(171, all) == Whose::command);
  CHECK(of(172, all) == Whose::unknown);
  CHECK(of(173, all) == Whose::unknown);
}

TEST_CASE("D6: what was seen below a command stays the command's when what started it has ended") {
  SeenProcesses all;
  all[kShell] = process(kShell, kPane, 1'001);
  all[170] = process(170, kShell, kTyped + 1);  // sudo
  all[171] = process(171, 170, kTyped + 2);
  all[172] = process(172, 171, kTyped + 3);
  KnownProcesses known;
  known.add(all);
  SeenProcesses later;
  later[kShell] = all.at(kShell);
  later[172] = all.at(172);
  known.add(later);
  CHECK(of(172, known.processes) == Whose::command);
  CHECK(known.parent_of(later.at(172).info) == 171);
  CHECK_FALSE(known.parent_of(process(172, 1, kTyped + 4).info));
  SeenProcess orphan = process(173, 1, kTyped + 4);
  orphan.info.session = 171;
  CHECK_FALSE(known.parent_of(orphan.info));
  known.sessions_in_front = {171};
  CHECK(known.parent_of(orphan.info) == 171);
  orphan.info.start_ticks = kTyped;  // another's, before that number was given again
  CHECK_FALSE(known.parent_of(orphan.info));
  later.erase(172);
  known.add(later);
  CHECK(known.processes.size() == 1);
}

TEST_CASE("a tag says whose it is, down to the instance") {
  CHECK(kThis.tab() == kEarlier.tab());
  CHECK(kThis != kEarlier);
  CHECK(kThis.instance() == tab_tag("instance.0123", 1, 4).instance());
  CHECK(kThis.tab() != tab_tag("instance.0123", 1, 4).tab());
  CHECK(kThis.tab() != tab_tag("instance.0123", 2, 3).tab());  // the same pane number in the next tmux server
  CHECK(kThis.instance() != tab_tag("instance.0124", 1, 3).instance());
  CHECK(kThis.value < std::uint64_t{1} << 63U);
}

TEST_CASE("a tag is inherited") {
  const pid_t child = start_child();
  CHECK(tag_process(child, kThis));
  CHECK(process_tag(child) == kThis);
  ::kill(child, SIGKILL);
  end_of(child);
  CHECK_FALSE(process_tag(child).has_value());
}

TEST_CASE("D19: a signal goes to a process with its start, never to its number alone") {
  const pid_t child = start_child();
  const ProcessId id = process_info(child).value().id();
  CHECK_FALSE(signal_process(ProcessId{child, id.start_ticks + 1}, SIGKILL));
  CHECK_FALSE(signal_process(ProcessId{child, 0}, SIGKILL));
  CHECK(is_alive(id));
  CHECK(signal_process(id, SIGKILL));
  CHECK(end_of(child) == SIGKILL);
  CHECK_FALSE(signal_process(id, SIGKILL));
}

TEST_CASE("D20, D32: of a tab only what has the foreground of its terminal is signalled as a group") {
  const PaneSession session;
  const PaneSession other;
  const ProcessId pane = process_info(session.leader).value().id();
  CHECK_FALSE(signal_foreground(pane, session.background, SIGKILL));
  CHECK_FALSE(signal_foreground(pane, other.foreground, SIGKILL));
  CHECK_FALSE(signal_foreground(ProcessId{pane.pid, pane.start_ticks + 1}, session.foreground, SIGKILL));
  const ProcessId within = process_info(session.background).value().id();
  CHECK_FALSE(signal_foreground(within, session.foreground, SIGKILL));  // that is no pane
  for (const pid_t pid : {session.background, session.foreground, other.foreground}) {
    CHECK(process_info(pid).value().state != 'Z');
  }
  CHECK(signal_foreground(pane, session.foreground, SIGKILL));
  const auto begin = Clock::now();
  while (process_info(pane).value().foreground_group != session.leader) {
    REQUIRE(Clock::now() - begin < std::chrono::seconds(10));
    ::usleep(1'000);
  }
  CHECK_FALSE(signal_foreground(pane, session.leader, SIGKILL));
  CHECK(is_alive(pane));
}

TEST_CASE("D32: numbers of everybody and of this program are refused") {
  for (const int pid : {-1, 0, 1, ::getpid()}) {
    const auto info = process_info(pid);
    CHECK_FALSE(signal_process(ProcessId{pid, info ? info->start_ticks : 0}, SIGCONT));
  }
  const ProcessId self = process_info(::getpid()).value().id();
  for (const int group : {-1, 0, 1, ::getpgrp()}) {
    CHECK_FALSE(signal_foreground(self, group, SIGCONT));
  }
  CHECK(trouble_with_proc().empty());
}

}  // namespace terminally
