// What may happen while a command is typed, and that it then runs once or not at all.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "command/busy.hpp"
#include "pty_tab.hpp"
#include "tmux/tabs/commands.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

/// The error with which a command could not be started.
std::optional<Error> error_of_start(PtyTab& tab, const std::string& text, Milliseconds patience = 15s) {
  try {
    tab.start(text, patience);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

void check_nothing_left(PtyTab& tab, std::size_t records) {
  CHECK(tab.tab->runs.empty());
  CHECK_FALSE(tab.tab->command_lock);
  CHECK_FALSE(tab.tab->files.running_nonce());
  CHECK(tab.tab->records.load().size() == records);
  std::string left;
  const bool tidy = tab.comes_true([&tab] {  // the one before is tidied up a moment after its end
    return std::ranges::all_of(std::filesystem::directory_iterator(tab.runtime()), [](const auto& entry) {
      const std::string name = entry.path().filename();
      return name == "1.lock" || name == "1.ended";
    });
  });
  for (const auto& entry : std::filesystem::directory_iterator(tab.runtime())) {
    left += entry.path().filename().string() + " ";
  }
  CAPTURE(left);
  CHECK(tidy);
}

bool says(const std::optional<Error>& error, const std::string& part) {
  return error && std::string(error->what()).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "command typed: a pane that refuses the line runs nothing, now and later, and leaves nothing behind") {
  PtyTab tab;
  tab.run("true");
  tab.pane().on_type = [](const std::string&) -> std::pair<std::string, bool> {
    throw Error(ErrorCode::tmux_failed, "tmux refused");
  };
  const auto error = error_of_start(tab, "echo never >> never");
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::tmux_failed);
  check_nothing_left(tab, 1);
  CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
  tab.pane().on_type = nullptr;
  CHECK(tab.output(tab.run("echo on")) == "on\n");
}

TEST_CASE("command typed: a line that arrived although the pane said nothing runs, once") {
  PtyTab tab;
  tab.run("true");
  int times = 0;
  tab.pane().on_type = [&](const std::string& bytes) -> std::pair<std::string, bool> {
    if (times++ == 0) {
      tab.pane().write(bytes);
      const std::string nonce = tab.tab->files.running_nonce().value_or("");
      REQUIRE(test::eventually([&] { return tab.tab->files.may_be_taken(nonce); }));
      throw Error(ErrorCode::tmux_timeout, "tmux did not answer in time");
    }
    return {bytes, true};
  };
  const RunPtr run = tab.run("echo once >> once; cat once");
  CHECK(tab.output(run) == "once\n");
  CHECK(run->record().state == CommandState::completed);
  CHECK(times == 1);
}

TEST_CASE("command typed: a line that arrives late, after it was given up, runs nothing") {
  PtyTab tab;
  tab.run("true");
  std::string late;
  tab.pane().on_type = [&](const std::string& bytes) -> std::pair<std::string, bool> {
    late = bytes;
    throw Error(ErrorCode::tmux_timeout, "tmux did not answer in time");
  };
  const auto error = error_of_start(tab, "echo never >> never");
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::tmux_timeout);
  tab.pane().on_type = nullptr;
  tab.pane().write(late);
  tab.run("true");
  CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
}

TEST_CASE("command typed: a pane that is gone is a closed tab") {
  PtyTab tab;
  tab.run("true");
  tab.pane().on_type = [](const std::string&) -> std::pair<std::string, bool> {
    throw Error(ErrorCode::not_found, "no such pane");
  };
  auto error = error_of_start(tab, "true");
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::tab_closed);
  CHECK(says(error, "tab @1 is closed; its log can still be read"));
  check_nothing_left(tab, 1);

  tab.pane().kill();
  error = error_of_start(tab, "true");
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::tab_closed);
  check_nothing_left(tab, 1);
}

TEST_CASE("command typed: a line that is lost on its way is typed once more, in a way that nothing hides") {
  PtyTab tab;
  tab.run("true");
  std::vector<std::string> lines;
  tab.pane().on_type = [&](const std::string& bytes) {
    lines.push_back(bytes);
    return std::pair(lines.size() == 1 ? std::string() : bytes, true);
  };
  const RunPtr run = tab.run("echo once >> once; cat once");
  CHECK(tab.output(run) == "once\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] != lines[1]);
  CHECK(lines[1].ends_with('\n'));
  CHECK(lines[0].find(run->record().id) == std::string::npos);  // under another name: the first one is void
  tab.pane().on_type = nullptr;
  tab.pane().write(lines[0]);
  tab.run("true");
  CHECK(test::content_of(tab.home() / "once") == "once\n");
}

TEST_CASE(
    "command typed: over a full-screen program nothing is typed; a screen that was left behind is left") {
  PtyTab tab;
  tab.run("true");
  tab.pane().facts = PaneFact::full_screen;
  tab.pane().on_print = [&tab](std::string bytes) {
    if (bytes.find("\033[?1049l") != std::string::npos) {
      tab.pane().facts = PaneFact::none;  // as tmux does when it reads that
    }
    return bytes;
  };
  CHECK(tab.output(tab.run("echo on")) == "on\n");

  const RunPtr drawn = tab.start("cat");
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "cat"; }));
  tab.pane().on_print = nullptr;
  tab.pane().write("\x04");
  tab.finish(drawn);
}

TEST_CASE("command typed: it is told from what a person types whether the shell runs a builtin") {
  PtyTab tab;
  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  const auto told = [&tab] { return what_has(*tab.tab, false); };
  tab.tab->person_types = true;
  for (int key = 0; key < 300; ++key) {
    tab.pane().press("x");
    REQUIRE(told() == "a person is typing in it");  // as the editor takes the key, or sleeps
  }
  tab.pane().press("\x15sleep 1000 & wait\r");
  CHECK(tab.comes_true([&] { return told().find("runs a builtin") != std::string::npos; }));
  tab.pane().press("\x03");
}

TEST_CASE("command typed: who types there just now is not interrupted, and waited for") {
  PtyTab tab;
  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  const std::size_t typed = tab.pane().typed.size();
  tab.pane().facts = PaneFact::person_types | PaneFact::others_typed | PaneFact::others_typed_just_now;
  const auto error = error_of_start(tab, "true", 50ms);
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::busy);
  CHECK(says(error, "A person is typing in it just now"));
  CHECK(tab.pane().typed.size() == typed);
  check_nothing_left(tab, 1);

  const int asked = tab.pane().times_asked;
  const RunPtr waits = tab.begin("echo on");
  REQUIRE(tab.comes_true([&] { return tab.pane().times_asked >= asked + 4; }));  // it asks again and again
  CHECK(tab.pane().typed.size() == typed);
  tab.pane().facts = PaneFact::others_typed;
  tab.finish(waits);
  CHECK(tab.output(waits) == "on\n");
}

TEST_CASE(
    "command typed: one that is cancelled, or whose call has answered, before it was typed is not run") {
  struct CalledOff {
    const char* what;
    std::function<void(CommandRun&)> how;
    CommandState state;
    Reason reason;
  };
  const std::vector<CalledOff> all = {
      {"cancelled", [](CommandRun& run) { run.request_end(Reason::cancelled_by_client, false); },
       CommandState::cancelled, Reason::cancelled_by_client},
      {"out of time", [](CommandRun& run) { run.set_deadline(Clock::now()); }, CommandState::cancelled,
       Reason::timeout},
      {"answered", [](CommandRun& run) { run.call_has_answered(); }, CommandState::failed,
       Reason::no_shell_answered},
  };
  for (const CalledOff& one : all) {
    CAPTURE(one.what);
    PtyTab tab;
    tab.run("true");
    tab.pane().facts = PaneFact::others_typed;
    RunPtr run;
    tab.pane().on_type = [&](const std::string& bytes) {
      if (run) {
        one.how(*run);  // while the prompt is cleared for it
      }
      return std::pair(bytes, true);
    };
    run = tab.begin("echo never >> never");
    tab.finish(run);
    CHECK(run->record().state == one.state);
    CHECK(run->record().reason == one.reason);
    CHECK_FALSE(run->record().exit_code);
    CHECK(run->was_called_off() == (one.state == CommandState::cancelled));
    tab.pane().on_type = nullptr;
    tab.run("true");
    CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
  }
}

TEST_CASE("command typed: a call that has answered keeps its command on record, also where none takes it") {
  PtyTab tab;
  tab.run("true");
  REQUIRE(tab.comes_to_prompt());
  Config config;
  Commands commands(config, tab.context());
  const CallTime time(0, Clock::now() - 4s);
  tab.pane().on_type = [&tab, &time](const std::string&) {
    tab.pane().on_type = nullptr;
    std::this_thread::sleep_until(time.returns_by());  // it is typed by then, and no later
    return std::pair(std::string(), true);             // and arrives nowhere
  };
  Commands::Begin what;
  what.command = "echo never >> never";
  const RunPtr run = tab.result_of(commands.begin(tab.tab, time, std::move(what)));
  REQUIRE_FALSE(run->has_ended());
  ::kill(tab.shell_pid(), SIGKILL);
  tab.finish(run);
  CHECK(tab.tab->records.to_be_read_for_sure().find(run->record().id));
  CHECK_FALSE(std::filesystem::exists(tab.home() / "never"));
}

TEST_CASE("command typed: where no files can be made nothing is typed, and the reason is told") {
  for (const std::string shell : {"/bin/bash", "/bin/dash", "/bin/zsh"}) {
    CAPTURE(shell);
    PtyTab tab(shell);
    tab.run("true");
    tab.tab->command_lock = FileLock::try_lock(tab.tab->files.lock_path());
    std::filesystem::rename(tab.runtime(), tab.runtime().string() + ".away");
    test::append_to(tab.runtime(), "no directory");  // root, too, makes no file in it
    const std::size_t typed = tab.pane().typed.size();
    const auto error = error_of_start(tab, "echo never");
    REQUIRE(error);
    CHECK(error->code() == ErrorCode::io);
    CHECK(says(error, tab.runtime().string() + " is not a directory"));
    CHECK(tab.pane().typed.size() == typed);
    std::filesystem::remove(tab.runtime());
    std::filesystem::rename(tab.runtime().string() + ".away", tab.runtime());
    check_nothing_left(tab, 1);
    CHECK(tab.output(tab.run("echo 'in files'")) == "in files\n");
  }
}

TEST_CASE("command typed: a terminal that a program left raw is typed into all the same") {
  PtyTab tab("/bin/dash");
  for (const std::string& mode :
       std::vector<std::string>{"raw", "raw -echo", "-icrnl", "igncr", "-icanon min 1"}) {
    CAPTURE(mode);
    tab.run("stty " + mode);
    const RunPtr run = tab.run("printf seen");
    CHECK(tab.output(run) == "seen");
    CHECK(run->record().exit_code == 0);
    tab.run("stty sane");
  }
}
