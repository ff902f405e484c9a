// A process of another session that reads a tab's terminal beside the shell at its prompt.
#include "system/other_readers.hpp"

#include <doctest/doctest.h>

#include "command/prompt.hpp"
#include "pty_tab.hpp"
#include "system/terminal.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

/// What a command says that cannot be typed; empty: it ran.
std::string refusal(PtyTab& of, const std::string& command) {
  try {
    of.run(command);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

int pid_of(PtyTab& of, const std::string& command) {
  int pid = 0;
  of.comes_true([&] {
    for (const ProcessInfo& process : all_processes()) {
      if (describe_process(process.pid) == command && process_has_environment(process.pid, of.tab->cookie)) {
        pid = process.pid;
      }
    }
    return pid != 0;
  });
  return pid;
}

/// Until it sleeps in a read of the tab's terminal.
int reader(PtyTab& of, const std::string& command) {
  const int pid = pid_of(of, command);
  REQUIRE(pid != 0);
  REQUIRE(of.comes_true([&] { return tty_wait(pid, terminal_device(of.tab->tty)) == TtyWait::only; }));
  return pid;
}

}  // namespace

TEST_CASE("other readers: nothing is typed while a detached program reads the terminal, in each shell") {
  for (const std::string& shell : shells_here()) {
    CAPTURE(shell);
    PtyTab of(shell);
    REQUIRE(refusal(of, "true") == "");
    REQUIRE(refusal(of, "setsid -f cat") == "");
    const int pid = reader(of, "cat");
    const std::string said = refusal(of, "echo ran");
    CHECK(said.find("nothing was run. Beside its shell, pid " + std::to_string(pid) +
                    " (cat), in a session of its own, reads the tab's keyboard") != std::string::npos);
    CHECK(said.find("`kill " + std::to_string(pid) + "` in another tab") != std::string::npos);
    ::kill(pid, SIGKILL);
    CHECK(of.comes_true([pid] { return !is_alive(pid); }));
    CHECK(refusal(of, "true") == "");
  }
}

TEST_CASE("other readers: one that reads only later, and one that reads nothing") {
  PtyTab of;
  REQUIRE(refusal(of, "mkfifo ~/go; setsid -f sh -c 'read x <~/go; exec cat -u'") == "");
  REQUIRE(refusal(of, "setsid -f sleep 1000; (setsid tail -f /dev/null &)") == "");
  CHECK(refusal(of, "true") == "");
  CHECK(refusal(of, "true") == "");
  append_to(of.home() / "go", "\n");
  const int pid = reader(of, "cat -u");
  CHECK(refusal(of, "true").find("cat -u") != std::string::npos);
  for (const int other : {pid, pid_of(of, "sleep 1000"), pid_of(of, "tail -f /dev/null")}) {
    ::kill(other, SIGKILL);
  }
}

TEST_CASE("other readers: a job of the shell's own session is none") {
  PtyTab of;
  REQUIRE(refusal(of, "cat & sleep 1000 &") == "");
  CHECK(refusal(of, "true") == "");
  CHECK(refusal(of, "kill -9 %1 %2") == "");
}
