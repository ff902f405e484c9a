// What of a command's way may be lost: its START, its END, the log's writer, its files, its shell, its tab.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "pty_tab.hpp"

using namespace terminally;
using test::PtyTab;
using namespace std::chrono_literals;

namespace {

bool note_with(const RunPtr& run, const std::string& part) {
  return std::ranges::any_of(
      run->record().notes, [&part](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// Takes each record of this kind ("START:", "END:") out of what the pane prints.
std::function<std::string(std::string)> dropping(const std::string& kind) {
  return [kind](std::string bytes) {
    for (std::size_t at = bytes.find("mcp=" + kind); at != std::string::npos;
         at = bytes.find("mcp=" + kind)) {
      const std::size_t begin = bytes.rfind('\033', at);
      const std::size_t end = bytes.find('\a', at);
      REQUIRE(begin != std::string::npos);
      REQUIRE(end != std::string::npos);
      bytes.erase(begin, end + 1 - begin);
    }
    return bytes;
  };
}

bool sleeps(PtyTab& tab) {
  return tab.comes_true([&tab] { return look_at_foreground(tab.tab->pane_pid).name == "sleep"; });
}

}  // namespace

TEST_CASE(
    "command loss: an END that is missing from the log is made good by its file, soon where a gap is known") {
  PtyTab tab;
  tab.pane().on_print = dropping("END:");
  const RunPtr run = tab.run("printf printed; (exit 5)");
  CHECK(run->record().state == CommandState::completed);
  CHECK(run->record().exit_code == 5);
  CHECK(run->record().reason == Reason::none);
  CHECK(
      note_with(run, "the end of the command is missing from the log; the exit code is known from its file"));
  CHECK(tab.output(run).starts_with("printed"));

  // A writer that was killed: another goes on.
  const RunPtr gap = tab.start("cat");
  tab.pane().writer().end(SIGKILL);
  test::append_to(tab.tab->log.path(), "");
  tab.pane().write("\x04");
  REQUIRE(tab.comes_true([&] { return tab.tab->files.exit_code(gap->record().nonce).has_value(); }));
  tab.finish(gap);
  CHECK(gap->record().exit_code == 0);
  CHECK(note_with(
      gap, "missing from the log, which had no writer for a while; the exit code is known from its file"));
}

TEST_CASE("command loss: without its START the output begins where it was typed, and that is said") {
  PtyTab tab;
  tab.pane().on_print = dropping("START:");
  const RunPtr run = tab.begin("printf printed; (exit 5)");
  tab.finish(run);
  CHECK(run->record().state == CommandState::completed);
  CHECK(run->record().exit_code == 5);
  CHECK(run->record().start_byte == run->record().typed_byte);
  CHECK(note_with(run, "its beginning is missing from the log"));
  CHECK(tab.output(run).ends_with("printed"));
}

TEST_CASE(
    "command loss: a record that comes in pieces, with an echo of it before, is seen once and exactly") {
  PtyTab tab;
  std::string kept;
  tab.pane().on_print = [&kept](const std::string& bytes) {
    // Every byte waits for the next read, and what looks like a record of another command stands before it.
    std::string out = std::exchange(kept, bytes.substr(bytes.size() / 2)) + bytes.substr(0, bytes.size() / 2);
    return out;
  };
  const RunPtr run =
      tab.begin("printf '\\033]133;D;9;mcp=END:0123456789abcdef0123456789abcdef\\a'; seq 1 2000; (exit 3)");
  REQUIRE(tab.comes_true(
      [&] { return tab.tab->files.exit_code(run->record().nonce).has_value() || run->has_ended(); }));
  tab.pane().on_print = nullptr;
  tab.pane().print(kept);
  tab.finish(run);
  CHECK(run->record().exit_code == 3);
  CHECK(tab.output(run).ends_with("\n1999\n2000\n"));
  CHECK(tab.output(run).starts_with("\033]133;D;9;mcp=END:0123456789abcdef0123456789abcdef\a1\n2\n"));
}

TEST_CASE(
    "command loss: while the log's writer is stopped nothing is guessed, and nothing is lost when it goes "
    "on") {
  PtyTab tab;
  tab.run("true");
  tab.pane().writer().signal(SIGSTOP);
  const RunPtr run = tab.begin("echo late; (exit 8)");
  REQUIRE(tab.comes_true([&] { return tab.tab->files.exit_code(run->record().nonce).has_value(); }));
  CHECK_FALSE(run->has_ended());
  tab.pane().writer().signal(SIGCONT);
  tab.finish(run);
  CHECK(tab.output(run) == "late\n");
  CHECK(run->record().exit_code == 8);
  CHECK(run->record().notes.empty());
}

TEST_CASE("command loss: a command that is over does not wait for a stopped writer when it is cancelled") {
  PtyTab tab;
  tab.run("true");
  const RunPtr run = tab.start("cat; (exit 8)");
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "cat"; }));
  tab.pane().writer().signal(SIGSTOP);
  tab.pane().write("\x04");
  REQUIRE(tab.comes_true([&] { return tab.tab->files.exit_code(run->record().nonce).has_value(); }));
  run->request_end(Reason::cancelled_by_client, false);
  tab.finish(run);
  CHECK(run->record().state == CommandState::cancelled);
  CHECK(run->record().exit_code == 8);
  CHECK(note_with(run, "the writer of the log stands still: the exit code is known from its file"));
  tab.pane().writer().signal(SIGCONT);
}

TEST_CASE("command loss: files that somebody removes while it runs are made again, so its end is told") {
  PtyTab tab;
  const RunPtr run = tab.start("cat; (exit 4)");
  // Else the shell may not have read the text yet.
  REQUIRE(tab.comes_true([&] { return look_at_foreground(tab.tab->pane_pid).name == "cat"; }));
  for (const auto& entry : std::filesystem::directory_iterator(tab.runtime())) {
    std::filesystem::remove(entry.path());
  }
  REQUIRE(tab.tab->files.are_gone(run->record().nonce));
  REQUIRE(tab.comes_true([&] { return !tab.tab->files.are_gone(run->record().nonce); }));
  CHECK(tab.tab->files.running_nonce() == run->record().nonce);
  CHECK(tab.tab->files.may_be_taken(run->record().nonce));
  tab.pane().write("\x04");
  tab.finish(run);
  CHECK(run->record().exit_code == 4);
  CHECK(run->record().notes.empty());
}

TEST_CASE("command loss: a tab that is gone takes its command with it, and says whose end it was") {
  struct Case {
    bool server_lives, we_close_it;
    Reason reason;
  };
  for (const Case& it : {Case{true, false, Reason::tab_closed}, Case{false, false, Reason::tmux_server_lost},
                         Case{false, true, Reason::tab_closed}}) {  // tmux ends with its last tab
    CAPTURE(it.server_lives);
    CAPTURE(it.we_close_it);
    PtyTab tab;
    const RunPtr run = tab.start("printf printed; sleep 1000");
    REQUIRE(tab.comes_true([&] { return tab.output(run) == "printed"; }));
    tab.server_lives = it.server_lives;
    tab.tab->closing = it.we_close_it;
    tab.pane().kill();
    tab.finish(run);
    CHECK(run->record().state == CommandState::failed);
    CHECK(run->record().reason == it.reason);
    CHECK_FALSE(run->record().exit_code);
    CHECK(tab.output(run) == "printed");
    CHECK_FALSE(tab.tab->files.running_nonce());
  }
}

TEST_CASE("command loss: an END that was on its way when the tab went is still the end") {
  PtyTab tab;
  const RunPtr run = tab.start("sleep 1000");
  REQUIRE(sleeps(tab));
  tab.pane().writer().signal(SIGSTOP);
  const std::string nonce = run->record().nonce;
  tab.pane().print("\033]133;D;6;mcp=END:" + nonce + "\a");
  tab.pane().kill();  // and the writer goes on: its input ends
  tab.finish(run);
  CHECK(run->record().state == CommandState::completed);
  CHECK(run->record().exit_code == 6);
}

TEST_CASE(
    "command loss: a shell that is killed, whatever it does then, ends its command, and the next one runs") {
  // While it runs a program, itself, or waits for the keyboard.
  const std::vector<std::string> texts = {"sleep 1000", "while :; do :; done", "read x"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    PtyTab tab;
    const RunPtr run = tab.start(text);
    REQUIRE(tab.comes_true([&] { return run->has_begun(); }));
    // A program whose shell dies between its fork and its own group takes the terminal from the next shell.
    REQUIRE((text != "sleep 1000" || sleeps(tab)));
    ::kill(tab.shell_pid(), SIGKILL);
    tab.finish(run);
    CHECK(run->record().state == CommandState::completed);
    CHECK(run->record().reason == Reason::shell_exited);
    CHECK(run->record().exit_code == 128 + SIGKILL);
    CHECK(tab.output(tab.run("echo on")) == "on\n");
  }
}

TEST_CASE(
    "command loss: a shell that is killed between the line and the command: nothing was run, and it is said "
    "or run again") {
  PtyTab tab;
  tab.run("true");
  int times = 0;
  tab.pane().on_type = [&](const std::string& bytes) {
    if (times++ == 0) {
      ::kill(tab.shell_pid(), SIGKILL);
      return std::pair(std::string(), true);  // it goes with the shell
    }
    return std::pair(bytes, true);
  };
  const RunPtr run = tab.run("echo once >> once; cat once");
  CHECK(tab.output(run) == "once\n");
  CHECK(run->record().exit_code == 0);
  CHECK(tab.tab->records.load().size() == 2);
}

TEST_CASE("command loss: a command that a process of ours left behind is settled by what is there") {
  struct Left {
    const char* what;
    bool end_in_log;
    bool tab_closed;
    CommandState state;
    Reason reason;
    std::optional<int> exit_code;
  };
  const std::vector<Left> all = {
      {"END is in the log", true, false, CommandState::completed, Reason::none, 5},
      {"END is in the log of a closed tab", true, true, CommandState::completed, Reason::none, 5},
      {"the tab closed before it ended", false, true, CommandState::failed, Reason::tab_closed, std::nullopt},
  };
  for (const Left& left : all) {
    CAPTURE(left.what);
    PtyTab tab;
    const RunPtr before = tab.start("echo shown; cat; (exit 5)");
    REQUIRE(tab.prints("shown"));
    CommandRecord record = *tab.tab->records.find(before->record().id);
    CHECK(record.state == CommandState::running);
    if (left.end_in_log) {
      tab.pane().write("\x04");
    } else {
      before->request_end(Reason::cancelled_by_client, false);
    }
    tab.finish(before);
    if (!left.end_in_log) {  // neither that nor START ever came into this log
      record.start_byte = record.typed_byte;
      record.nonce = std::string(32, 'a');
      record.id = std::string(8, 'a');
    }
    tab.tab->closed = left.tab_closed;
    const RunPtr after = tab.take_over(record);
    after->ending().settle(true);
    REQUIRE(after->has_ended());
    CHECK(after->record().state == left.state);
    CHECK(after->record().reason == left.reason);
    CHECK(after->record().exit_code == left.exit_code);
    CHECK(tab.tab->records.find(record.id)->state == left.state);
    CHECK(tab.output(after) == (left.end_in_log ? "shown\n" : ""));  // not what was typed
  }
}

TEST_CASE(
    "command loss: one that still runs is followed by who comes next, with its deadline and its cancel") {
  for (const bool by_deadline : {true, false}) {
    CAPTURE(by_deadline);
    PtyTab tab;
    const RunPtr before = tab.start("sleep 1000");
    REQUIRE(sleeps(tab));
    CommandRecord record = before->record();
    if (by_deadline) {
      record.deadline_steady_ms = steady_ms(Clock::now() - 1s);
    } else {
      record.reason = Reason::cancelled_by_client;  // its last process had begun to end it
    }
    const RunPtr after = tab.take_over(record);
    after->ending().settle(true);
    CHECK_FALSE(after->has_ended());
    CHECK(after->record().reason == Reason::none);
    tab.follow(after);
    tab.finish(after);
    CAPTURE(encode_record(after->record()));
    CAPTURE(tab.log());
    CHECK(after->record().state == CommandState::cancelled);
    CHECK(after->record().reason == (by_deadline ? Reason::timeout : Reason::cancelled_by_client));
    CHECK(after->record().exit_code == 130);
  }
}
