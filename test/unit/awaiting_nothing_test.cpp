// What does not wait for the keyboard is never said to: at no single look, from the beginning of a command
// on.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "command/awaiting_input.hpp"
#include "programs.hpp"
#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

constexpr int kLooksAfter = 30;
constexpr Milliseconds kHeldAtFork{300};

/// What runs below the shell of a tab by these names, whether its program has been begun or not.
long running(PtyTab& tab, const std::string& name) {
  const std::vector<ProcessInfo> all = process_tree(tab.shell_pid(), 50);
  return std::ranges::count_if(
      all, [&name](const ProcessInfo& one) { return one.name == name && one.state != 'Z'; });
}

/// Looks until `is_up`, and on from there.
template <typename Condition>
void is_silent(PtyTab& tab, const RunPtr& run, Condition is_up) {
  SettledInput input;
  int alarms = 0;
  const auto look = [&] {
    alarms += awaiting_input(*tab.tab).has_value() ? 1 : 0;
    alarms += input.look(*tab.tab).has_value() ? 1 : 0;
  };
  REQUIRE(tab.comes_true([&] {
    look();
    return is_up();
  }));
  int looks = 0;
  REQUIRE(tab.comes_true([&] {
    look();
    return ++looks >= kLooksAfter;
  }));
  CHECK(alarms == 0);
  CHECK_FALSE(run->has_ended());
}

void end_by_force(PtyTab& tab, const RunPtr& run) {
  run->request_end(Reason::cancelled_by_client, true);
  tab.finish(run);
}

void starts_pipelines(const std::string& shell) {
  REQUIRE(::access(shell.c_str(), X_OK) == 0);
  PtyTab tab(shell);
  for (int start = 0; start < 30; ++start) {
    CAPTURE(start);
    const RunPtr run = tab.begin("cat | sleep 60");
    is_silent(tab, run, [&] { return running(tab, "cat") == 1 && running(tab, "sleep") == 1; });
    end_by_force(tab, run);
  }
}

/// Held after each fork while this is there: half of a pipeline runs then, and the other half is yet to come.
class HeldAtForks {
 public:
  explicit HeldAtForks(PtyTab& tab)
      : strace_({"/usr/bin/strace", "-qq", "-o", "/dev/null", "-p", std::to_string(tab.shell_pid()), "-e",
                 "trace=clone,clone3,fork,vfork", "-e",
                 "inject=clone,clone3,fork,vfork:delay_exit=" +
                     std::to_string(std::chrono::microseconds(kHeldAtFork).count())}) {
    const std::string status = "/proc/" + std::to_string(tab.shell_pid()) + "/status";
    REQUIRE(tab.comes_true(
        [&] { return test::content_of(status).find("TracerPid:\t0\n") == std::string::npos; }));
  }
  ~HeldAtForks() { strace_.end(SIGTERM); }
  HeldAtForks(const HeldAtForks&) = delete;
  HeldAtForks& operator=(const HeldAtForks&) = delete;

 private:
  test::PipedProgram strace_;
};

}  // namespace

TEST_CASE("awaiting nothing: sleepers, servers and followers") {
  struct Silent {
    std::string command;
    std::string up;       ///< what it prints
    std::string program;  ///< what runs where it prints nothing
  };
  const std::string server = "require('http').createServer((q, r) => r.end()).listen(0, () => ";
  const std::string question = "print('up? ', end='', flush=True)";
  const std::vector<Silent> all = {
      {"sleep 60", "", "sleep"},
      {"printf 'Working... '; sleep 60", "Working... ", "sleep"},
      {"python3 -c \"import time; " + question + "; time.sleep(60)\"", "up? ", ""},
      {"python3 -m http.server 0 --bind 127.0.0.1", "Serving", ""},
      {"node -e \"" + server + "process.stdout.write('listening'))\"", "listening", ""},
      {"node -e \"process.stdin.resume(); " + server + "console.log('is up'))\"", "is up", ""},
      {"tail -f /etc/passwd", "", "tail"},
      {"tail -f /etc/passwd | cat", "", "cat"},
      {"cat | sleep 60", "", "sleep"},
      {"sleep 60 | cat", "", "cat"},
      {"sh -c 'cat & exec sleep 60'", "", "sleep"},
      {"cat /dev/zero >/dev/null", "", "cat"},
      {"while :; do :; done", "", "bash"},
      {"sleep 60 & wait", "", "sleep"},
      {"mkfifo p; cat p", "", "cat"},
      {"python3 -c \"import socket; a, b = socket.socketpair(); " + question + "; b.recv(1)\"", "up? ", ""},
  };
  PtyTab tab;
  for (const Silent& silent : all) {
    CAPTURE(silent.command);
    const RunPtr run = tab.start(silent.command);
    is_silent(tab, run, [&] {
      const std::string log = tab.log();  // the command itself is in it, before it begins
      return log.find(silent.up, std::min(log.size(), run->record().start_byte)) != std::string::npos &&
             (silent.program.empty() || running(tab, silent.program) > 0);
    });
    end_by_force(tab, run);
  }
}

// `sleep` may be late: not forked yet, not run yet, or on its way to sleep without a processor.
TEST_CASE("awaiting nothing: a pipeline that bash has just started") {
  starts_pipelines("/bin/bash");
}
TEST_CASE("awaiting nothing: a pipeline that zsh has just started") {
  starts_pipelines("/bin/zsh");
}
TEST_CASE("awaiting nothing: a pipeline that dash has just started") {
  starts_pipelines("/bin/dash");
}

TEST_CASE("awaiting nothing: a pipeline that is being started") {
  for (const std::string shell : {"/bin/bash", "/bin/zsh", "/bin/dash"}) {
    CAPTURE(shell);
    PtyTab tab(shell);
    tab.run("true");
    const HeldAtForks held(tab);
    const auto begun = Clock::now();
    const RunPtr run = tab.begin("cat | sleep 60");
    int halves = 0;
    is_silent(tab, run, [&] {
      const bool has_sleep = running(tab, "sleep") == 1;
      halves += running(tab, "cat") == 1 && !has_sleep ? 1 : 0;
      return has_sleep;
    });
    CHECK(Clock::now() - begun > kHeldAtFork);
    CHECK((halves > 10 || shell == "/bin/bash"));  // where `cat` runs when all are forked
    end_by_force(tab, run);
  }
}

TEST_CASE("awaiting nothing: make and a compiler") {
  PtyTab tab;
  test::append_to(
      tab.home() / "Makefile",
      "all:\n\t@while :; do echo 'int main(void){return 0;}' | gcc -xc - -o a.out; printf 'built '; "
      "done\n");
  const RunPtr run = tab.start("make");
  is_silent(tab, run, [&] { return tab.log().find("built built ") != std::string::npos; });
  end_by_force(tab, run);
}

// It is stopped when it reads, and a command of ours is not what waits.
TEST_CASE("awaiting nothing: a reader in the background") {
  PtyTab tab;
  tab.run("cat &");
  REQUIRE(tab.comes_true([&] {
    const std::vector<ProcessInfo> all = process_tree(tab.shell_pid(), 50);
    return std::ranges::any_of(all,
                               [](const ProcessInfo& one) { return one.name == "cat" && one.state == 'T'; });
  }));
  const RunPtr run = tab.start("sleep 60");
  is_silent(tab, run, [&] { return running(tab, "sleep") == 1; });
  end_by_force(tab, run);
  tab.run("kill -9 %1; wait");
}

TEST_CASE("awaiting nothing: input from a pipe, and an idle shell") {
  for (const std::string& shell : test::shells_here()) {
    CAPTURE(shell);
    PtyTab tab(shell);
    int alarms = 0;
    for (int n = 0; n < 10; ++n) {
      const RunPtr run = tab.begin("echo x | cat");
      SettledInput input;
      REQUIRE(tab.comes_true([&] {
        alarms += input.look(*tab.tab).has_value() ? 1 : 0;
        return run->has_ended();
      }));
      CHECK(run->record().state == CommandState::completed);
      CHECK(tab.output(run) == "x\n");
      alarms += awaiting_input(*tab.tab).has_value() ? 1 : 0;
    }
    CHECK(alarms == 0);
  }
}
