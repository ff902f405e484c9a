#include "tmux/tab_processes.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

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
  seen.in_tab = true;
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
  all[190] = process(190, 1, kTyped + 2);
  all[190].in_tab = false;
  CHECK(of(160, all) == Whose::older);
  CHECK(of(170, all) == Whose::command);
  CHECK(of(171, all) == Whose::command);
  CHECK(of(172, all) == Whose::unknown);
  CHECK(of(173, all) == Whose::unknown);
  CHECK(of(190, all) == Whose::others);
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
